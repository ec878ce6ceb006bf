import HeddleCore
import HeddleProtocol
import NIOCore
import Testing

@testable import HeddleFrames

@Suite struct FrameDecoderTests {
  /// What a stream of bytes was cut into, whole values to compare.
  private enum Piece: Equatable {
    case frame(FrameKind, UInt32, [UInt8], [UInt8])
    case skipped
    case refused(Reason)
    case noise
    case http
  }

  /// Feeds the bytes in the given pieces and collects what comes out.
  private func cut(_ parts: [[UInt8]], maximum: UInt32 = 1_024) -> [Piece] {
    var cutter = FrameDecoder(.fromClient(maximumBytes: maximum))
    var input = ByteBuffer()
    var out: [Piece] = []
    for part in parts {
      input.writeBytes(part)
      feeding: while true {
        switch cutter.next(&input) {
        case .incomplete: break feeding
        case .skipped: out.append(.skipped)
        case .frame(let frame):
          out.append(
            .frame(
              frame.kind, frame.header.stream, frame.metadata.map { Array($0.readableBytesView) } ?? [],
              Array(frame.payload.readableBytesView)))
        case .refused(let refusal):
          out.append(.refused(refusal.reason))
          return out
        case .noise: return out + [.noise]
        case .http: return out + [.http]
        }
      }
    }
    return out
  }

  private func frame(
    _ kind: UInt8, stream: UInt32 = 1, flags: UInt8 = 0, version: UInt8 = 1, metadata: [UInt8] = [],
    payload: [UInt8] = [], length: UInt32? = nil
  ) -> [UInt8] {
    var out: [UInt8] = []
    FrameHeader(
      kind: kind, method: 101, stream: stream, version: version, metadataLength: UInt16(metadata.count), flags: flags,
      length: length ?? UInt32(metadata.count + payload.count)
    ).append(to: &out)
    return out + metadata + payload
  }

  private var session: [UInt8] {
    frame(10, stream: 0, payload: [1, 2, 3]) + frame(0x90, payload: Array(repeating: 7, count: 300)) + frame(1)
      + frame(1, stream: 3, metadata: [9, 9], payload: [4]) + frame(7, stream: 0)
  }

  private var whole: [Piece] {
    [
      .frame(.hello, 0, [], [1, 2, 3]), .skipped, .frame(.request, 1, [], []), .frame(.request, 3, [9, 9], [4]),
      .frame(.ping, 0, [], []),
    ]
  }

  @Test("F10: a session cut at any place, and byte by byte, gives the same frames")
  func everySplit() {
    #expect(cut([session]) == whole)
    for place in 0...session.count {
      #expect(cut([Array(session[..<place]), Array(session[place...])]) == whole)
    }
    #expect(cut(session.map { [$0] }) == whole)
  }

  @Test("F2, F3, F4: the largest frame is cut; one byte more is refused when its header is there, before its payload")
  func sizes() {
    let largest = frame(1, payload: Array(repeating: 1, count: 1_024))
    #expect(cut([largest]) == [.frame(.request, 1, [], Array(repeating: 1, count: 1_024))])
    #expect(cut([frame(1, length: 1_025)]) == [.refused(.frameTooLarge)])
    #expect(cut([frame(1, length: .max)]) == [.refused(.frameTooLarge)])
  }

  @Test("F1: a frame that has to say something is not empty; a request and a response may be")
  func empty() {
    for kind: UInt8 in [3, 4, 6, 10] { #expect(cut([frame(kind)]) == [.refused(.emptyFrame)]) }
    for kind: UInt8 in [1, 2, 5, 7, 8, 9] { #expect(cut([frame(kind)]).count == 1) }
  }

  @Test("F17, F18, F19: unknown kinds, flags and versions; a kind with the top bit is skipped")
  func unknown() {
    #expect(cut([frame(11, payload: [1])]) == [.refused(.unknownFrame)])
    #expect(cut([frame(0x8B, payload: [1])]) == [.skipped])
    for flag: UInt8 in [0x01, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80] {
      #expect(cut([frame(1, flags: flag)]) == [.refused(.unknownFlags)])
    }
    #expect(cut([frame(1, flags: 0x02)]).first == .frame(.request, 1, [], []))
    #expect(cut([frame(1, version: 2)]) == [.refused(.unsupportedVersion)])
  }

  @Test("F11, F12, F14: noise and TLS are noise on the first byte; HTTP is told what it is talking to")
  func foreign() {
    #expect(cut([[0x00]]) == [.noise])
    #expect(cut([[0x16, 3, 1]]) == [.noise])
    #expect(cut([Array("GET / HTTP/1.1\r\n".utf8)]) == [.http])
    #expect(cut(Array("POST /".utf8).map { [$0] }) == [.http])
    #expect(cut([Array("PRI * HTTP/2.0".utf8)]) == [.noise])
    #expect(cut([Array("GE".utf8)]) == [], "not enough to tell")
  }

  @Test("A metadata length beyond the frame is malformed")
  func metadata() {
    var bytes = frame(1, payload: [1, 2])
    bytes[10] = 3
    #expect(cut([bytes]) == [.refused(.malformed)])
  }
}
