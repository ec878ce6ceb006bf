// Input: steps for a whole server in memory, each an operation and its arguments, see `SessionScript`.
//
// Three connections send any bytes in any pieces, with kills and power cuts in between. The server answers each request
// once, in readable frames, and never with `internal`; it comes to rest; and at the end the data on disk is whole. The
// same steps go to the doors of gRPC and HTTP, whose answers must be readable in their protocol.

import HeddleCore
import HeddleProtocol

/// The way in of an input's connections.
enum FuzzedDoor { case frames, grpc, http }

enum FuzzedSession {
  private static let maximumSteps = 200

  static func run(_ bytes: UnsafeRawBufferPointer, by door: FuzzedDoor) throws(Finding) {
    let script = SessionScript(bytes)
    for case .send(_, let sent, _) in script.steps { FuzzPlant.trustLengths(sent, of: door) }
    let world = try FuzzedServer(door)
    defer { world.end() }
    for step in script.steps.prefix(maximumSteps) {
      try world.take(step)
      try world.settle()
    }
    // Answers that wait for a model or a client come in the end.
    for _ in 0..<4 {
      world.advance(31_000)
      try world.settle()
    }
    try world.restart(cut: false)
    try world.checkDisk()
  }
}

/// The steps of an input.
///
///     0  send             connection, length (2 bytes), bytes
///     1  send in pieces   connection, bytes of a piece, length (2), bytes
///     2  time passes      milliseconds (2)
///     3  hang up          connection
///     4  kill the server
///     5  cut the power
///     6  full, not full   connection: its socket takes nothing, or everything again
///
/// In bytes to be sent, 16 bytes that begin with 12 bytes 0xFE are a mark for an id of the server: the connection, the
/// place of the id in an answer, and that answer's stream (2 bytes). So requests can name things that earlier ones made.
struct SessionScript {
  enum Step: Equatable {
    case send(connection: Int, [UInt8], piece: Int?)
    case wait(milliseconds: Int)
    case hangUp(connection: Int)
    case kill
    case cut
    case toggle(connection: Int)
  }

  static let connections = 3
  static let mark: UInt8 = 0xFE
  static let markBytes = 12

  var steps: [Step] = []

  init(steps: [Step]) { self.steps = steps }

  init(_ bytes: UnsafeRawBufferPointer) {
    var input = InputReader(bytes)
    while !input.isEmpty {
      switch input.byte() % 7 {
      case 0:
        let connection = Int(input.byte()) % Self.connections
        steps.append(.send(connection: connection, input.bytes(input.number(2)), piece: nil))
      case 1:
        let connection = Int(input.byte()) % Self.connections
        let piece = max(Int(input.byte()), 1)
        steps.append(.send(connection: connection, input.bytes(input.number(2)), piece: piece))
      case 2: steps.append(.wait(milliseconds: input.number(2)))
      case 3: steps.append(.hangUp(connection: Int(input.byte()) % Self.connections))
      case 4: steps.append(.kill)
      case 5: steps.append(.cut)
      default: steps.append(.toggle(connection: Int(input.byte()) % Self.connections))
      }
    }
  }

  /// The bytes that are read as these steps.
  var bytes: [UInt8] {
    var out: [UInt8] = []
    func add(_ number: Int) { out += [UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8)] }
    for step in steps {
      switch step {
      case .send(let connection, let bytes, let piece):
        out += piece.map { [1, UInt8(connection), UInt8($0)] } ?? [0, UInt8(connection)]
        add(bytes.count)
        out += bytes
      case .wait(let milliseconds):
        out.append(2)
        add(milliseconds)
      case .hangUp(let connection): out += [3, UInt8(connection)]
      case .kill: out.append(4)
      case .cut: out.append(5)
      case .toggle(let connection): out += [6, UInt8(connection)]
      }
    }
    return out
  }
}
