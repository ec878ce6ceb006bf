// Input: a byte, then a stream. The byte chooses the largest payload and the pieces in which the stream comes.
//
// The decoder gives the same frames however the stream is cut into pieces, and each frame has the bytes of the stream.

import HeddleCore
import HeddleFrames
import HeddleProtocol
import NIOCore

enum FuzzedFrames {
  private enum Outcome: Equatable {
    case frame([UInt8])
    case skipped
    case refused(Refusal)
    case noise
    case http
    /// The stream ends, inside of a frame or not.
    case end(isInside: Bool)
  }

  private static let maximumBytes: [UInt32] = [64, 16 * 1024, 4 * 1024 * 1024, .max]

  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard let first = bytes.first else { return }
    let stream = Array(bytes.dropFirst())
    let maximum = maximumBytes[Int(first & 3)]
    let whole = try cut(stream, pieces: max(stream.count, 1), maximum)
    let inPieces = try cut(stream, pieces: 1 + Int(first >> 2), maximum)
    guard whole == inPieces else { throw Finding("pieces of \(1 + first >> 2) bytes give other frames: \(inPieces)") }
  }

  private static func cut(_ stream: [UInt8], pieces: Int, _ maximum: UInt32) throws(Finding) -> [Outcome] {
    var cutter = FrameDecoder(.fromClient(maximumBytes: maximum))
    var input = ByteBuffer()
    var outcomes: [Outcome] = []
    var fed = 0
    while fed < stream.count {
      let piece = stream[fed..<min(fed + pieces, stream.count)]
      input.writeBytes(piece)
      fed += piece.count
      loop: while true {
        let before = input.readableBytes
        let cut = FuzzPlant.frames.isSet ? FuzzPlant.cut(&cutter, &input) : cutter.next(&input)
        guard input.readableBytes <= before else { throw Finding("cutting made bytes") }
        switch cut {
        case .incomplete: break loop
        case .skipped: outcomes.append(.skipped)
        case .refused(let refusal): return outcomes + [.refused(refusal)]
        case .noise: return outcomes + [.noise]
        case .http: return outcomes + [.http]
        case .frame(let frame):
          try check(frame, stream[..<(fed - input.readableBytes)], maximum)
          outcomes.append(.frame(Array(frame.payload.readableBytesView)))
        }
      }
    }
    return outcomes + [.end(isInside: cutter.isInsideFrame(input))]
  }

  /// The frame is what stands at the end of `read`.
  private static func check(_ frame: Frame, _ read: ArraySlice<UInt8>, _ maximum: UInt32) throws(Finding) {
    var bytes: [UInt8] = []
    frame.header.append(to: &bytes)
    if let metadata = frame.metadata { bytes += metadata.readableBytesView }
    bytes += frame.payload.readableBytesView
    guard read.suffix(bytes.count).elementsEqual(bytes) else { throw Finding("a frame is not what was sent") }
    guard frame.header.length <= maximum, bytes.count == FrameHeader.byteCount + Int(frame.header.length),
      frame.header.knownKind == frame.kind
    else { throw Finding("a frame is not what its header says: \(frame.header)") }
  }
}
