// Listens, and plays a recording for each client that connects: the first one gets the first recorded connection, and so
// on; after the last one it begins anew.

import HeddleCore
import HeddleProtocol
import NIOCore
import NIOPosix

public struct FixtureCounts: Equatable, Sendable {
  public var connections = 0
  public var answered = 0
  public var notRecorded = 0
}

public final class FixtureServer: Sendable {
  private let channel: any Channel
  private let group: MultiThreadedEventLoopGroup
  private let hall: NIOLoopBound<FixtureHall>

  private init(_ channel: any Channel, _ group: MultiThreadedEventLoopGroup, _ hall: NIOLoopBound<FixtureHall>) {
    self.channel = channel
    self.group = group
    self.hall = hall
  }

  public var port: Int { channel.localAddress?.port ?? 0 }

  /// `notRecorded` hears of each request that the recording cannot answer.
  public static func start(
    _ recording: FixtureRecording, host: String, port: Int, notRecorded: @escaping @Sendable (String) -> Void
  ) async throws -> FixtureServer {
    // One loop for all connections: they share keys and counts.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let hall = try await group.next().submit {
      NIOLoopBound(FixtureHall(recording, notRecorded), eventLoop: group.next())
    }.get()
    do {
      let channel = try await ServerBootstrap(group: group)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(hall.value.newChannel())
          }
        }
        .bind(host: host, port: port).get()
      return FixtureServer(channel, group, hall)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  public func stop() async throws -> FixtureCounts {
    try? await channel.close()
    let counts = try await group.next().submit { self.hall.value.counts }.get()
    try await group.shutdownGracefully()
    return counts
  }
}

/// All connections. Used on one loop only.
final class FixtureHall: FrameReceiver {
  private let recording: FixtureRecording
  private let notRecorded: @Sendable (String) -> Void
  private let keys = FixtureKeys()
  private var players: [Int: FixturePlayer] = [:]
  private var lastChannel = 0
  private(set) var counts = FixtureCounts()

  init(_ recording: FixtureRecording, _ notRecorded: @escaping @Sendable (String) -> Void) {
    self.recording = recording
    self.notRecorded = notRecorded
  }

  func newChannel() -> FrameChannel {
    lastChannel += 1
    return FrameChannel(index: lastChannel, receiver: self)
  }

  func opened(_ channel: FrameChannel) {}

  func received(_ channel: FrameChannel, _ header: FrameHeader, _ body: UnsafeRawBufferPointer) {
    if players[channel.index] == nil {
      players[channel.index] = FixturePlayer(recording, connection: counts.connections % recording.connectionCount)
      counts.connections += 1
    }
    guard let player = players[channel.index] else { return }
    let before = (answered: player.answered, unmatched: player.unmatched.count)
    for frame in player.receive(header, Array(body), keys) { channel.append(frame.header, frame.body) }
    counts.answered += player.answered - before.answered
    for words in player.unmatched.dropFirst(before.unmatched) {
      counts.notRecorded += 1
      notRecorded(words)
    }
  }

  func readEnded(_ channel: FrameChannel) { channel.flush() }

  func closed(_ channel: FrameChannel) { players[channel.index] = nil }
}
