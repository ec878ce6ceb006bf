// A capture out of packets: what tcpdump wrote is put back into the order in which it was sent.
//
// Done: Ethernet (also behind one VLAN tag), Linux "cooked" 1 and 2, raw IP, BSD loopback; IPv4 and IPv6 without extension
// headers; retransmitted and overlapping segments, segments out of order, SYN, FIN, RST, numbers that wrap.
// Not done: IP fragments, TLS, pcapng, connections whose beginning is missing (they are taken up at the first segment that
// begins with a frame). A hole that is never filled ends its direction, and is told.

import HeddleCapture

struct TCPImport {
  private struct Flow: Hashable {
    var from: Endpoint
    var to: Endpoint
  }

  private struct Direction {
    /// The next number in order; nil until the first segment.
    var next: UInt32?
    /// Segments that came too early, by number.
    var early: [UInt32: [UInt8]] = [:]
    var ended = false
    /// The number behind the last byte, from FIN.
    var end: UInt32?
  }

  private let linkType: UInt32
  private var assembly = CaptureAssembly()
  private var directions: [Flow: Direction] = [:]

  init(linkType: UInt32) throws(CaptureError) {
    guard [0, 1, 12, 14, 101, 113, 276].contains(linkType) else {
      throw CaptureError(
        "link type \(linkType) is neither a capture of Heddle (252) nor of packets that are understood")
    }
    self.linkType = linkType
  }

  mutating func packet(_ bytes: [UInt8], _ range: Range<Int>, at time: Int64) {
    guard let start = network(bytes, range), let segment = Segment(bytes, start..<range.upperBound) else { return }
    let flow = Flow(from: segment.from, to: segment.to)
    var direction = directions.removeValue(forKey: flow) ?? Direction()
    if segment.isSYN { direction = Direction(next: segment.number &+ 1) }
    if direction.next == nil, segment.payload.first == 0xFA { direction.next = segment.number }
    if !segment.payload.isEmpty, direction.next != nil {
      direction.early[segment.number, default: []] = Self.longer(direction.early[segment.number], segment.payload)
    }
    if segment.isFIN { direction.end = segment.number &+ UInt32(segment.payload.count) }
    deliver(&direction, flow, time)
    if segment.isRST { end(&direction, flow, time) }
    directions[flow] = direction
  }

  mutating func finish() -> Capture {
    for (flow, direction) in directions where !direction.early.isEmpty {
      assembly.note("\(flow.from) to \(flow.to): a segment is missing, what follows it was left out")
    }
    return assembly.finish()
  }

  private static func longer(_ known: [UInt8]?, _ new: ArraySlice<UInt8>) -> [UInt8] {
    if let known, known.count >= new.count { known } else { Array(new) }
  }

  /// Hands on what is in order by now.
  private mutating func deliver(_ direction: inout Direction, _ flow: Flow, _ time: Int64) {
    while let next = direction.next {
      // Signed distance: numbers wrap. At most a window's worth of segments waits, so a linear look is cheap.
      guard let found = direction.early.keys.first(where: { Int32(bitPattern: $0 &- next) <= 0 }),
        let payload = direction.early.removeValue(forKey: found)
      else { break }
      let known = Int(next &- found)
      guard payload.count > known else { continue }
      assembly.append(payload[known...], at: time, from: flow.from, to: flow.to)
      direction.next = found &+ UInt32(payload.count)
    }
    if let stop = direction.end, stop == direction.next { end(&direction, flow, time) }
  }

  private mutating func end(_ direction: inout Direction, _ flow: Flow, _ time: Int64) {
    guard !direction.ended else { return }
    direction.ended = true
    assembly.append(EmptyCollection<UInt8>(), at: time, from: flow.from, to: flow.to)
  }

  /// The place at which the IP header begins.
  private func network(_ bytes: [UInt8], _ range: Range<Int>) -> Int? {
    var start = range.lowerBound
    switch linkType {
    case 0: start += 4
    case 1:
      guard range.count >= 18 else { return nil }
      start += bytes.bigInteger(at: start + 12, as: UInt16.self) == 0x8100 ? 18 : 14
    case 113: start += 16
    case 276: start += 20
    default: break
    }
    return start < range.upperBound ? start : nil
  }
}

/// One TCP segment, as far as it matters.
private struct Segment {
  var from: Endpoint
  var to: Endpoint
  var number: UInt32
  var flags: UInt8
  var payload: ArraySlice<UInt8>

  var isFIN: Bool { flags & 1 != 0 }
  var isSYN: Bool { flags & 2 != 0 }
  var isRST: Bool { flags & 4 != 0 }

  init?(_ bytes: [UInt8], _ range: Range<Int>) {
    guard range.count >= 20 else { return nil }
    let start = range.lowerBound
    let tcp: Int
    let end: Int
    let addresses: (Range<Int>, Range<Int>)
    switch bytes[start] >> 4 {
    case 4:
      tcp = start + Int(bytes[start] & 15) * 4
      end = start + Int(bytes.bigInteger(at: start + 2, as: UInt16.self))
      let fragment = bytes.bigInteger(at: start + 6, as: UInt16.self) & 0x3FFF
      guard bytes[start + 9] == 6, fragment == 0 else { return nil }
      addresses = (start + 12..<start + 16, start + 16..<start + 20)
    case 6:
      tcp = start + 40
      guard range.count >= 40, bytes[start + 6] == 6 else { return nil }
      end = tcp + Int(bytes.bigInteger(at: start + 4, as: UInt16.self))
      addresses = (start + 8..<start + 24, start + 24..<start + 40)
    default: return nil
    }
    // Cards that cut segments themselves leave the length 0; then the packet's own end counts.
    let last = end <= tcp ? range.upperBound : min(end, range.upperBound)
    guard last - tcp >= 20 else { return nil }
    let payload = tcp + Int(bytes[tcp + 12] >> 4) * 4
    guard payload >= tcp + 20, payload <= last else { return nil }
    from = Endpoint(address: Array(bytes[addresses.0]), port: bytes.bigInteger(at: tcp, as: UInt16.self))
    to = Endpoint(address: Array(bytes[addresses.1]), port: bytes.bigInteger(at: tcp + 2, as: UInt16.self))
    number = bytes.bigInteger(at: tcp + 4, as: UInt32.self)
    flags = bytes[tcp + 13]
    self.payload = bytes[payload..<last]
  }
}
