// One event loop as the doors share it: a codec, ids, the connections of all doors, and their turns.

import HeddleCore
import HeddleProtocol
import HeddleRuntime
import NIOCore

/// A connection of any door, as its loop looks after it.
package protocol DoorConnection: AnyObject {
  /// The loop has it among those that wait for the disk.
  var isInLine: Bool { get set }
  /// Called a few times a second.
  func tick(_ now: Int64)
  /// Writes what was answered since the last time.
  func flush()
  /// The write backlog has drained.
  func diskHasRoom()
  /// The server ends: the peer hears so if it has not yet, and the connection closes within half a second.
  func serverEnds()
}

extension DoorConnection {
  /// A connection that can say nothing is closed with its loop.
  package func serverEnds() {}
}

/// The shared state of one loop's connections: buffers are reused, deadlines are checked together. Confined to the loop,
/// which is the proof for `@unchecked Sendable`.
package final class LoopState: @unchecked Sendable {
  package let context: LoopContext
  package var codec: Codec
  package var ids: IDGenerator
  /// Set while something is recorded.
  package var observer: (any FrameObserver)?
  private let clock: RuntimeClock
  /// The time of the turn at hand in nanoseconds; 0: it has not been read.
  private var turnTime = 0
  private let backlog: WriteBacklog
  private var connections: [ObjectIdentifier: any DoorConnection] = [:]
  private var ticks: RepeatedTask?
  /// Connections with something to send, and whether the loop will come to them.
  private var unflushed: [any DoorConnection] = []
  private var flushIsSet = false
  /// Connections that are not served until the disk has caught up, each once, and whether the backlog will wake them.
  private var held: [any DoorConnection] = []
  private var wakeIsSet = false

  init(context: LoopContext, limits: Limits, clock: RuntimeClock, backlog: WriteBacklog, seed: UInt64) {
    self.context = context
    self.clock = clock
    self.backlog = backlog
    var decoding = DecodeLimits()
    decoding.nesting = limits.nesting
    decoding.repeatedElements = limits.repeatedElements
    decoding.unknownFields = limits.unknownFields
    codec = Codec(limits: decoding)
    ids = IDGenerator(seed: seed)
  }

  package func add(_ connection: some DoorConnection) {
    connections[ObjectIdentifier(connection)] = connection
    guard ticks == nil else { return }
    // Often enough for the shortest deadline of the protocol, 5 s, to be kept within 5 %.
    ticks = context.eventLoop.scheduleRepeatedTask(initialDelay: .milliseconds(250), delay: .milliseconds(250)) { _ in
      self.tick()
    }
  }

  package func remove(_ connection: some DoorConnection) {
    connections[ObjectIdentifier(connection)] = nil
    if connection.isInLine { held.removeAll { $0 === connection } }
    if connections.isEmpty {
      ticks?.cancel()
      ticks = nil
    }
  }

  /// Whether the loop has no connection.
  package var isEmpty: Bool { connections.isEmpty }

  package func endConnections() {
    for connection in connections.values { connection.serverEnds() }
  }

  // MARK: Time

  /// The time of the loop's turn, read once for all requests and answers in it: a reading for each would cost more than
  /// everything else that is counted for a request.
  package var time: Int {
    if turnTime != 0 { return turnTime }
    turnTime = clock.nanoseconds()
    return turnTime
  }

  /// A door calls it after a batch of requests; answers that wait for a flush end their turn by it.
  package func turnEnds() { turnTime = 0 }

  /// Writes the connection after everything that the loop does now; one task for all connections, of which an event may
  /// have a thousand.
  package func flushLater(_ connection: some DoorConnection) {
    unflushed.append(connection)
    guard !flushIsSet else { return }
    flushIsSet = true
    context.eventLoop.execute { self.flushAll() }
  }

  private func flushAll() {
    flushIsSet = false
    var waiting: [any DoorConnection] = []
    swap(&waiting, &unflushed)
    for connection in waiting { connection.flush() }
    turnEnds()
    guard unflushed.isEmpty, waiting.capacity <= 4_096 else { return }
    waiting.removeAll(keepingCapacity: true)
    unflushed = waiting
  }

  /// Serves the connection again when the write backlog has drained.
  package func hold(_ connection: some DoorConnection) {
    if !connection.isInLine { held.append(connection) }
    connection.isInLine = true
    guard !wakeIsSet else { return }
    wakeIsSet = true
    backlog.whenThereIsRoom { [context] in
      context.inbox.post { self.letGo() }
    }
  }

  private func letGo() {
    wakeIsSet = false
    let waiting = held
    held = []
    for connection in waiting {
      connection.isInLine = false
      connection.diskHasRoom()
    }
  }

  private func tick() {
    let now = clock.instant()
    for connection in connections.values { connection.tick(now) }
  }

  // MARK: Decoding

  package func decode<M: WireMessage>(_ type: M.Type, _ bytes: ByteBuffer) -> Result<M, Refusal> {
    bytes.withUnsafeReadableBytes { raw in
      do throws(DecodeError) { return .success(try codec.decode(type, raw)) } catch {
        return .failure(error.refusal)
      }
    }
  }

  /// The request of a method, from the bytes of its message.
  package func decodeRequest(_ method: Method, _ bytes: ByteBuffer) -> Result<Request, Refusal> {
    let result: Result<Request?, DecodeError> = bytes.withUnsafeReadableBytes { bytes in
      do throws(DecodeError) { return .success(try Request(method, bytes, &codec)) } catch {
        return .failure(error)
      }
    }
    switch result {
    case .success(let request?): return .success(request)
    case .success(nil): return .failure(Refusal(.unknownMethod))
    case .failure(let error): return .failure(error.refusal)
    }
  }
}

extension ByteBuffer: ByteSink {
  public mutating func append(_ bytes: UnsafeRawBufferPointer) { writeBytes(bytes) }
}

extension DecodeError {
  /// The one place where a decoding error becomes an answer (attacks.md P1 to P25).
  package var refusal: Refusal {
    switch self {
    case .malformed: Refusal(.malformed)
    case .tooDeep: Refusal(.tooDeep)
    case .tooManyElements(let field): Refusal(.tooManyElements, [("field", field)])
    case .tooManyUnknown: Refusal(.tooManyUnknown)
    case .invalidUTF8(let field): Refusal(.invalidUtf8, [("field", field)])
    case .embeddedNUL(let field): Refusal(.embeddedNul, [("field", field)])
    case .budget: Refusal(.decodeBudget)
    case .unknownEnum(let field, let value): Refusal(.unknownEnum, [("field", field), ("value", "\(value)")])
    case .missingField(let field): Refusal(.missingField, [("field", field)])
    case .badID(let field): Refusal(.badId, [("field", field)])
    }
  }
}
