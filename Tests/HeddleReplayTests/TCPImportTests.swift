// Packets come back as what was sent, in whatever order and however often they came.

import HeddleCapture
import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleReplay

/// One packet of a raw IPv4 capture.
private struct Packet {
  var number: UInt32
  var flags: UInt8 = 0x10
  var payload: [UInt8] = []
  var fromClient = true
  var isV6 = false

  var bytes: [UInt8] {
    var tcp = [UInt8]()
    tcp.append(big: UInt16(fromClient ? 50_000 : 7420))
    tcp.append(big: UInt16(fromClient ? 7420 : 50_000))
    tcp.append(big: number)
    tcp.append(big: UInt32(0))
    tcp += [5 << 4, flags, 0, 0, 0, 0, 0, 0]
    let host: (UInt8) -> [UInt8] = { isV6 ? [0xFD] + [UInt8](repeating: 0, count: 14) + [$0] : [10, 0, 0, $0] }
    let addresses = host(fromClient ? 1 : 2) + host(fromClient ? 2 : 1)
    var ip: [UInt8] = isV6 ? [0x60, 0, 0, 0] : [0x45, 0]
    ip.append(big: UInt16((isV6 ? 0 : 20) + tcp.count + payload.count))
    ip += isV6 ? [6, 64] : [0, 0, 0x40, 0, 64, 6, 0, 0]
    return ip + addresses + tcp + payload
  }
}

@Suite struct TCPImportTests {
  private let frames: [[UInt8]] = {
    var codec = Codec()
    return (1...6).map { count in
      let body = codec.encode(Ping(opaque: [UInt8](repeating: UInt8(count), count: count * 7)))
      var out = [UInt8]()
      FrameHeader(.ping, length: UInt32(body.count)).append(to: &out)
      return out + body
    }
  }()

  private var stream: [UInt8] { frames.flatMap { $0 } }

  private func read(_ packets: [Packet]) throws -> Capture {
    var importer = try TCPImport(linkType: 101)
    for (time, packet) in packets.enumerated() {
      importer.packet(packet.bytes, 0..<packet.bytes.count, at: Int64(time))
    }
    return importer.finish()
  }

  private func cut(_ start: UInt32, every size: Int) -> [Packet] {
    stride(from: 0, to: stream.count, by: size).map { offset in
      Packet(number: start &+ UInt32(offset), payload: Array(stream[offset..<min(stream.count, offset + size)]))
    }
  }

  private func bodies(_ capture: Capture) -> [[UInt8]] { capture.frames.filter { $0.header != nil }.map(\.body) }

  @Test func segmentsGiveTheFramesWhereverTheyAreCut() throws {
    let wanted = frames.map { Array($0.dropFirst(FrameHeader.byteCount)) }
    for size in 1...stream.count {
      // The numbers wrap in the middle.
      let start = UInt32.max - 40
      let packets = [Packet(number: start &- 1, flags: 2)] + cut(start, every: size)
      let capture = try read(packets)
      #expect(bodies(capture) == wanted)
      #expect(capture.problems.isEmpty)
    }
  }

  @Test func orderAndRepetitionDoNotMatter() throws {
    var random = SplitMix(seed: 3)
    let wanted = frames.map { Array($0.dropFirst(FrameHeader.byteCount)) }
    for round in 0..<200 {
      // Two ways of cutting overlap each other.
      var packets = cut(1000, every: 5 + round % 20) + cut(1000, every: 3 + round % 31)
      for index in packets.indices.reversed() { packets.swapAt(index, random.below(index + 1)) }
      let capture = try read([Packet(number: 999, flags: 2)] + packets)
      #expect(bodies(capture) == wanted)
    }
  }

  @Test func aHoleEndsItsDirectionAndIsTold() throws {
    var packets = cut(1000, every: 20)
    packets.remove(at: 3)
    let capture = try read([Packet(number: 999, flags: 2)] + packets)
    #expect(bodies(capture).count < frames.count)
    #expect(capture.problems.contains { $0.contains("a segment is missing") })
  }

  @Test func bothSidesAndTheirEndsAreSeen() throws {
    let count = UInt32(stream.count)
    let capture = try read([
      Packet(number: 9, flags: 2), Packet(number: 99, flags: 0x12, fromClient: false),
      Packet(number: 10, payload: stream), Packet(number: 100, payload: stream, fromClient: false),
      Packet(number: 10 + count, flags: 0x11), Packet(number: 100 + count, flags: 0x11, fromClient: false),
    ])
    #expect(capture.connections.count == 1)
    #expect(
      capture.frames.map(\.fromClient) == [Bool](repeating: true, count: 6) + [Bool](repeating: false, count: 6) + [
        true, false,
      ])
    #expect(capture.frames.suffix(2).allSatisfy { $0.header == nil })
  }

  @Test func damagedPacketsNeverTrap() throws {
    var random = SplitMix(seed: 4)
    for type in [UInt32(0), 1, 101, 113, 276] {
      var importer = try TCPImport(linkType: type)
      for _ in 0..<5000 {
        var bytes = Packet(number: UInt32(random.below(5000)), payload: stream).bytes
        bytes = Array(bytes[random.below(bytes.count)...])
        for _ in 0..<random.below(6) where !bytes.isEmpty {
          bytes[random.below(bytes.count)] = UInt8(random.below(256))
        }
        importer.packet(bytes, 0..<bytes.count, at: 0)
      }
      _ = importer.finish()
    }
  }

  @Test func whateverStandsAroundAPacketIsLeftOut() throws {
    let ethernet = [UInt8](repeating: 2, count: 12)
    let fronts: [(type: UInt32, front: [UInt8])] = [
      (0, [2, 0, 0, 0]), (1, ethernet + [0x08, 0]), (1, ethernet + [0x81, 0, 0, 5, 0x08, 0]), (12, []), (14, []),
      (101, []), (113, [UInt8](repeating: 0, count: 16)), (276, [UInt8](repeating: 0, count: 20)),
    ]
    let wanted = frames.map { Array($0.dropFirst(FrameHeader.byteCount)) }
    for (type, front) in fronts {
      for isV6 in [false, true] {
        var importer = try TCPImport(linkType: type)
        for var packet in [Packet(number: 999, flags: 2)] + cut(1000, every: 20) {
          packet.isV6 = isV6
          // Short packets are filled up.
          let bytes = front + packet.bytes + [0xFA, 0, 0]
          importer.packet(bytes, 0..<bytes.count, at: 0)
        }
        let capture = importer.finish()
        #expect(bodies(capture) == wanted, "link type \(type), \(isV6 ? 6 : 4)")
        #expect(capture.problems.isEmpty)
      }
    }
  }
}
