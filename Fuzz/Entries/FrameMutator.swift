// Changes that keep frames whole: without them nearly every change of a stream breaks a length and ends the connection.

import HeddleProtocol

struct FrameMutator {
  private var state: UInt64
  private let maximumBytes: Int
  private let change: ([UInt8], Int) -> [UInt8]

  init(seed: UInt64, maximumBytes: Int, change: @escaping ([UInt8], Int) -> [UInt8]) {
    state = seed
    self.maximumBytes = maximumBytes
    self.change = change
  }

  // SplitMix64.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(max(bound, 1))) }

  /// An input of `frames`: its first byte is not of the stream. Nil: this time byte by byte.
  mutating func stream(_ input: [UInt8]) -> [UInt8]? {
    guard let first = input.first, below(4) > 0 else { return nil }
    guard let changed = frames(Array(input.dropFirst())) else { return nil }
    return [first] + changed.prefix(max(maximumBytes - 1, 0))
  }

  /// An input of `session`.
  mutating func script(_ input: [UInt8]) -> [UInt8]? {
    guard below(5) > 0 else { return nil }
    var script = input.withUnsafeBytes { SessionScript($0) }
    guard !script.steps.isEmpty else { return nil }
    let place = below(script.steps.count)
    switch below(8) {
    case 0: script.steps.remove(at: place)
    case 1: script.steps.insert(script.steps[place], at: below(script.steps.count))
    case 2: script.steps.swapAt(place, below(script.steps.count))
    case 3: script.steps.insert(step(), at: place)
    default: script.steps[place] = changed(script.steps[place])
    }
    let bytes = script.bytes
    return bytes.count <= maximumBytes ? bytes : nil
  }

  private mutating func step() -> SessionScript.Step {
    let connection = below(SessionScript.connections)
    return switch below(6) {
    case 0: .kill
    case 1: .cut
    case 2: .hangUp(connection: connection)
    case 3: .toggle(connection: connection)
    case 4: .wait(milliseconds: 1 << below(16))
    default: .send(connection: connection, frame(), piece: nil)
    }
  }

  /// A frame of any kind without much in it.
  private mutating func frame() -> [UInt8] {
    let header = FrameHeader(kind: UInt8(below(12)), method: UInt16(below(1_600)), stream: UInt32(below(16)))
    var bytes: [UInt8] = []
    header.append(to: &bytes)
    return bytes
  }

  private mutating func changed(_ step: SessionScript.Step) -> SessionScript.Step {
    switch step {
    case .send(let connection, let bytes, let piece):
      switch below(10) {
      case 0: return .send(connection: below(SessionScript.connections), bytes, piece: piece)
      case 1: return .send(connection: connection, bytes, piece: below(2) == 0 ? nil : 1 + below(64))
      default:
        guard let changed = frames(bytes), changed.count <= 0xFFFF else { return step }
        return .send(connection: connection, changed, piece: piece)
      }
    case .wait: return .wait(milliseconds: below(0x1_0000))
    default: return self.step()
    }
  }

  // MARK: Frames

  /// The frames that bytes begin with; behind them may be others.
  private static func cut(_ bytes: [UInt8]) -> (frames: [(header: FrameHeader, payload: [UInt8])], rest: [UInt8]) {
    var frames: [(header: FrameHeader, payload: [UInt8])] = []
    var rest = bytes[...]
    while let header = rest.withUnsafeBytes({ FrameHeader($0) }) {
      let end = FrameHeader.byteCount + Int(header.length)
      guard end <= rest.count else { break }
      frames.append((header, Array(rest.dropFirst(FrameHeader.byteCount).prefix(Int(header.length)))))
      rest = rest.dropFirst(end)
    }
    return (frames, Array(rest))
  }

  /// Nil: there is no whole frame.
  private mutating func frames(_ bytes: [UInt8]) -> [UInt8]? {
    var (frames, rest) = Self.cut(bytes)
    guard !frames.isEmpty else { return nil }
    let place = below(frames.count)
    switch below(10) {
    case 0: frames.remove(at: place)
    case 1: frames.insert(frames[place], at: below(frames.count))
    case 2: frames.swapAt(place, below(frames.count))
    case 3: frames[place].header.kind = UInt8(below(14))
    case 4: frames[place].header.stream = UInt32(below(24))
    case 5: frames[place].header.method = UInt16(truncatingIfNeeded: next())
    case 6: frames[place].header.flags ^= 1 << UInt8(below(8))
    default: frames[place].payload = change(frames[place].payload, min(frames[place].payload.count + 64, 0x8000))
    }
    var out: [UInt8] = []
    for (index, var frame) in frames.enumerated() {
      frame.header.length = UInt32(frame.payload.count)
      if Int(frame.header.metadataLength) > frame.payload.count, index != place {
        frame.header.metadataLength = UInt16(truncatingIfNeeded: frame.payload.count)
      }
      frame.header.append(to: &out)
      out += frame.payload
    }
    rest = out + rest
    return rest
  }
}
