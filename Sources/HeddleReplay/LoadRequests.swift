// The requests of one connection of a load that have no answer yet.

import HeddleCore

/// By stream / 2 in a ring: more than it holds are never in flight.
struct LoadRequests {
  /// As many as the server allows on one connection, less some.
  static let most = 240

  /// A power of two.
  private static let ringSize = 1024

  /// The stream of the next request.
  private(set) var nextStream: UInt32 = 1
  private(set) var count = 0
  /// When the request should have left; 0: none waits.
  private var intended = [Int64](repeating: 0, count: ringSize)
  private var methods = [UInt16](repeating: 0, count: ringSize)

  /// Gives a request its stream. Gives its method, which is in the frame if it is not named.
  mutating func begin(_ frame: inout [UInt8], _ method: Method?, intended time: Int64) -> UInt16 {
    frame.setStream(nextStream)
    let slot = Self.slot(nextStream)
    intended[slot] = time
    methods[slot] = method.map { UInt16(clamping: $0.rawValue) } ?? UInt16(frame[2]) << 8 | UInt16(frame[3])
    count += 1
    // A connection whose streams are used up would have to come anew; that is after two billion requests.
    nextStream &+= 2
    return methods[slot]
  }

  /// Takes out the request that is answered on this stream, if there is one.
  mutating func end(_ stream: UInt32) -> (method: UInt16, intended: Int64)? {
    guard stream % 2 == 1 else { return nil }
    let slot = Self.slot(stream)
    let time = intended[slot]
    guard time != 0 else { return nil }
    intended[slot] = 0
    count -= 1
    return (methods[slot], time)
  }

  /// A new connection counts its streams from the beginning.
  mutating func reconnect() { nextStream = 1 }

  private static func slot(_ stream: UInt32) -> Int { Int(stream / 2) & (ringSize - 1) }
}
