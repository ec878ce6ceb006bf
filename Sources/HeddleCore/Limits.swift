// Every limit of the server, in one place, each with its reason. These are the defaults that the protocol documents;
// docs/configuration.md says which of them a server can be started with. One of 0 marked "0: none" is not enforced.

/// The limits of a server. Sizes are bytes, times are milliseconds, unless the name says otherwise.
public struct Limits: Equatable, Sendable {
  // Frames

  /// Before HELLO the client is unknown, and a HELLO fits easily.
  public var frameBytesBeforeHello: UInt32 = 16 * 1024
  /// gRPC's default, and four times the largest turn input.
  public var frameBytes: UInt32 = 4 * 1024 * 1024
  /// A peer that connects says who it is at once; silence costs a descriptor.
  public var helloMilliseconds: Int64 = 5_000
  /// From the first byte of a frame to its last: slow links pass, held-open frames do not.
  public var frameMilliseconds: Int64 = 30_000
  /// Below the idle time-outs of common proxies, with the server's own pings in between.
  public var idleMilliseconds: Int64 = 180_000
  /// When the server pings a silent peer.
  public var pingAfterMilliseconds: Int64 = 30_000
  /// Bytes a PING may carry: enough for a nonce and a time.
  public var pingBytes = 64
  /// A peer may ping this often; beyond it, three strikes.
  public var pingIntervalMilliseconds: Int64 = 5_000
  public var pingStrikes = 3

  // Decoding

  /// The schema's deepest message has 6 levels.
  public var nesting = 32
  /// Many times the elements of the largest page of a list.
  public var repeatedElements = 65_536
  /// Room for a client from the future, none for a flood.
  public var unknownFields = 64

  /// Bytes of unfinished frames of all connections; beyond it sockets are not read until there is room (attacks.md R13).
  public var bufferedBytes = 256 * 1024 * 1024
  /// The most that one read of a socket returns, a power of two: every connection may keep a buffer of this size.
  public var readBytes = 8 * 1024

  // The process

  /// Address space without which a server does not start: measured, one with two loops takes 911 MB until it is ready,
  /// most of it reserved for the heaps and stacks of its threads and never touched.
  public var addressSpaceBytes = 1024 * 1024 * 1024
  /// Each loop is a thread with a stack and its part of the heaps; measured, 27 MB.
  public var addressSpaceBytesPerLoop = 64 * 1024 * 1024

  // Connections

  /// Descriptors that connections never take, so that the store can always open its files (durability.md D12).
  public var reservedDescriptors = 64
  /// Below the descriptors of a common process limit, with 64 held back for storage (durability.md D12).
  public var connections = 15_000
  /// One tenant cannot fill the server. 0: none.
  public var connectionsPerTenant = 1_000
  /// One address cannot keep others from saying HELLO.
  public var connectionsPerAddressBeforeHello = 100
  /// Each holds its slot until it is answered, so replies are never crowded out.
  public var requestsInFlight: UInt32 = 256
  public var subscriptions: UInt32 = 1_024
  /// 0: none.
  public var subscriptionsPerTenant = 10_000
  /// Mistakes in `glitchWindowMilliseconds`: a client with a bug passes, a flood does not.
  public var glitches: UInt32 = 200
  /// Refusals in that time that ask the client to wait: a client that pipelines all it has passes, one that never waits
  /// does not.
  public var ignoredRefusals: UInt32 = 20_000
  public var glitchWindowMilliseconds: Int64 = 30_000
  /// Bytes waiting to go out; beyond it events wait in the log and deltas become one snapshot.
  public var outgoingBytes = 1024 * 1024
  /// A peer that takes no byte for this long while something waits is a slow consumer.
  public var slowConsumerMilliseconds: Int64 = 30_000
  /// Other connections of a loop get their turn after this many frames of one.
  public var framesPerTurn = 64

  /// A connection of frames or gRPC is replaced after this time, give or take a tenth, so that load balancers can spread
  /// clients anew. 0: never.
  public var connectionAgeMilliseconds: Int64 = 1_800_000
  /// From then on its subscriptions have this long to end by themselves.
  public var connectionGraceMilliseconds: Int64 = 300_000

  // Tenants

  /// 0: none. Quotas protect tenants from one another, so a server without tokens has none.
  public var requestsPerSecond = 1_000
  public var requestBurst = 2_000
  /// 0: none.
  public var runningTurnsPerTenant = 100

  // Threads

  /// Text of one turn: a long document, not a library.
  public var turnInputBytes = 1024 * 1024
  /// A queue that long has lost its reader.
  public var queuedTurns = 16
  /// Steered inputs that the model has not seen.
  public var steeredInputs = 64
  /// Input of all queued turns: they stand in one answer and in every snapshot of the thread.
  public var queuedTurnBytes = 2 * 1024 * 1024
  public var threadEvents: UInt64 = 1_000_000
  public var threadEventBytes: UInt64 = 1024 * 1024 * 1024
  public var pageSize: Int32 = 200
  public var defaultPageSize: Int32 = 25
  public var nameBytes = 1_024
  /// Model names, efforts, tiers, metadata names.
  public var shortTextBytes = 256
  /// Instructions, output schemas.
  public var longTextBytes = 256 * 1024
  public var metadataEntries = 64
  public var metadataValueBytes = 4_096
  public var tools = 128
  /// The note to a model that its tools changed. The request holds the tools themselves, so a cut list of names is enough.
  public var toolsFragmentBytes = 4096
  /// The mode fragment is bounded (rules.md M5).
  public var modeFragmentBytes = 4_096

  // Turns

  /// Streamed text is made safe after this many bytes or this long (durability.md D3).
  public var checkpointBytes = 4_096
  public var checkpointMilliseconds: Int64 = 250
  /// A model that says nothing for this long has stalled.
  public var modelIdleMilliseconds: Int64 = 60_000
  /// A model behind HTTP that sends only signs of life for this long, and no part of an answer, has stalled: the longest
  /// silent reasoning takes minutes. 0: none.
  public var modelContentMilliseconds: Int64 = 300_000
  /// A turn from its beginning to its end, waiting for tools, agents and people included. 0: none, since work may take
  /// days and other limits end a stuck turn.
  public var turnMilliseconds: Int64 = 0
  /// Text of one item of a model; beyond it the turn fails. With its envelope it still fits into a frame.
  public var modelItemBytes = 4 * 1024 * 1024 - 16 * 1024
  /// Sampling steps of one turn.
  public var samplingSteps = 64

  /// Calls of tools in one step of a model.
  public var toolCalls = 128
  /// Output of one call; a client's answer that is larger is a failure of the tool.
  public var toolOutputBytes = 1024 * 1024
  /// How long a client may take to answer a call.
  public var clientToolMilliseconds: Int64 = 10 * 60 * 1000
  /// How long a person may take to answer a question.
  public var userInputMilliseconds: Int64 = 24 * 60 * 60 * 1000
  /// The context is summed up when this share of the model's window is full, in hundredths. 0: never by itself.
  public var compactionPercent: UInt64 = 90
  /// Words of the user that stay beside the summary; fewer where the model's window is small. A part without text counts
  /// as one byte, so this bounds the record whatever its inputs look like.
  public var keptInputBytes = 64 * 1024

  // Agents (rules.md A2, A3, A8)

  /// V1: agents of a tree that are open at once, ended ones counted until they are closed.
  public var agentsOpenV1 = 6
  /// V2: agents of a tree that run at once, the root counted.
  public var agentsRunningV2 = 4
  /// 1: only the root spawns. 0: none.
  public var agentDepthV1: UInt32 = 1
  public var agentDepthV2: UInt32 = 4
  /// Agents that a tree may have in its life, which bounds a model in a loop. 0: none.
  public var agentsPerTree = 1_000
  public var agentWaitMilliseconds: Int64 = 30_000
  public var agentWaitMinimumMilliseconds: Int64 = 10_000
  public var agentWaitMaximumMilliseconds: Int64 = 60 * 60 * 1000
  /// Text of one message between agents. A longer final answer is cut; its agent's own history has it whole.
  public var mailBytes = 256 * 1024
  /// Messages that wait for one agent.
  public var mailboxMessages = 256
  public var mailboxBytes = 4 * 1024 * 1024
  /// The beginning of a task, as lists of agents show it.
  public var shownTaskBytes = 512

  // Sessions

  /// Events of ephemeral threads, which exist only in memory; beyond it their changes are refused.
  public var ephemeralBytes = 256 * 1024 * 1024
  /// One tenant cannot take it all. 0: none.
  public var ephemeralBytesPerTenant = 64 * 1024 * 1024
  /// Bytes of changes that wait for the disk, of all threads: beyond it no connection begins more than a few requests
  /// until there is room again. 0: none.
  public var waitingWriteBytes = 16 * 1024 * 1024
  /// Threads that are loaded at once, divided among the loops: a few KiB each and a tree's share. Beyond it those that
  /// have been idle longest are unloaded at once. 0: none.
  public var loadedThreads = 10_000
  /// The model inputs that threads keep in memory, divided among the loops, so that a turn of many steps reads its log
  /// once; the least recently used goes first. 0: nothing is kept.
  public var contextBytes = 16 * 1024 * 1024
  /// A thread without subscribers and without activity is unloaded after this long (rules.md T5).
  public var unloadMilliseconds: Int64 = 30 * 60 * 1000
  /// A snapshot is written after this many events, so loading reads at most about as many.
  public var snapshotEvents: UInt64 = 64
  /// Progress on a quiet subscription (durability.md, bookmarkable).
  public var progressMilliseconds: Int64 = 15_000
  /// SIGTERM: how long requests and turns may take to end.
  public var drainMilliseconds: Int64 = 20_000

  public init() {}

  /// The age at which one connection is replaced: those that were opened together do not end together. 0: never.
  public func connectionAge(random: UInt64) -> Int64 {
    guard connectionAgeMilliseconds > 0 else { return 0 }
    let spread = connectionAgeMilliseconds / 5
    return connectionAgeMilliseconds - spread / 2 + Int64(random % UInt64(max(1, spread)))
  }
}
