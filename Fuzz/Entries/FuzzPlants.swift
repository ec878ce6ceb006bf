// Bugs for `make fuzz-self-test`, which fuzzing has to find. They are here and not in the code under test, are switched on
// by HEDDLE_FUZZ_PLANT, and no input of the corpora meets one.

import Glibc
import HeddleCore
import HeddleFrames
import HeddleProtocol
import NIOCore

enum FuzzPlant: String, CaseIterable {
  /// A length of the header is trusted.
  case frames
  /// A byte behind the message is read.
  case messages
  /// Something is wrong with threads after a restart, as long as none is started or followed.
  case session
  /// Damage of two kinds at once is more than there is room for.
  case store
  /// A position has a byte more than is looked at.
  case cursor
  /// A table is made as long as a file has damaged lines, and used for the good ones.
  case rollout
  /// A claim is longer than there is room for.
  case jwt
  /// An escape is taken for four digits that are there.
  case json
  /// The length of a message in a DATA frame is trusted.
  case grpc
  /// The length that a head announces is trusted.
  case http
  /// An identity is longer than there is room for.
  case doors

  private static let chosen = getenv("HEDDLE_FUZZ_PLANT").map { String(cString: $0) }

  var isSet: Bool { Self.chosen == rawValue }

  /// Doubles a length in the bits that it has.
  static func cut(_ cutter: inout FrameDecoder, _ input: inout ByteBuffer) -> Cut {
    if let header = input.withUnsafeReadableBytes({ FrameHeader($0) }) {
      consumed = UInt64(header.metadataLength * 2)
    }
    return cutter.next(&input)
  }

  /// Reads the last byte of a message that a request announces.
  static func trustLengths(_ sent: [UInt8], of door: FuzzedDoor) {
    var length = 0
    switch door {
    case .grpc where grpc.isSet:
      // The head of a DATA frame of five bytes, which are the prefix of a short message.
      guard sent.count > 14, sent[(sent.count - 14)..<(sent.count - 10)] == [0, 0, 5, 0],
        sent[(sent.count - 5)..<(sent.count - 1)] == [0, 0, 0, 0]
      else { return }
      length = Int(sent[sent.count - 1])
    case .http where http.isSet:
      guard let found = sent.firstRange(of: Array("\r\n\r\n".utf8)), sent[found.lowerBound - 1] == UInt8(ascii: "9")
      else { return }
      length = 9 + found.upperBound - sent.count
    default: return
    }
    guard length > 0 else { return }
    sent.withUnsafeBytes {
      consumed = UInt64($0.baseAddress?.load(fromByteOffset: sent.count - 1 + length, as: UInt8.self) ?? 0)
    }
  }

  /// Takes the last three bytes for a tag and a length that was not checked.
  static func readTooFar(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count > 8, let base = bytes.baseAddress, bytes[bytes.count - 2] == 0x7A else { return }
    let count = Int(bytes[bytes.count - 1])
    consumed = UInt64(base.load(fromByteOffset: bytes.count - 1 + count, as: UInt8.self))
  }

  /// Reads the fourth digit of an escape at the end of the text.
  static func trustEscapes(_ text: [UInt8]) {
    guard text.count > 8, text[text.count - 2] == UInt8(ascii: "\\"), text[text.count - 1] == UInt8(ascii: "u") else {
      return
    }
    text.withUnsafeBytes {
      consumed = UInt64($0.baseAddress?.load(fromByteOffset: text.count + 3, as: UInt8.self) ?? 0)
    }
  }

  static func offByOne(_ position: [UInt8]?, _ count: Int) {
    guard let position, count > 0 else { return }
    consumed = UInt64(position[count % 32 == 31 ? count : count - 1])
  }

  static func restarted(life: UInt64, _ method: Method) throws(Finding) {
    let known: [Method] = [.threadStart, .turnStart, .threadSubscribe]
    if life > 1, !known.contains(method) { throw Finding("planted") }
  }

  static func count(_ problems: [String]) {
    let kinds = ["key ", "thread "].filter { kind in problems.contains { $0.hasPrefix(kind) } }
    let room = [0, 1]
    consumed = UInt64(room[kinds.count])
  }

  static func trustLines(_ damaged: [Int]) {
    let table = [UInt8](repeating: 0, count: 4)
    for line in damaged where damaged.count > 1 { consumed = UInt64(table[line % 5]) }
  }

  static func trustLength(_ tenant: String) {
    consumed = UInt64(8 - tenant.utf8.count)
  }

  static func identities(_ names: [[UInt8]]) {
    let room = [UInt8](repeating: 0, count: 8)
    for name in names { consumed = UInt64(room[name.count % 9]) }
  }

  /// Keeps the compiler from leaving out reads without a use.
  // nonisolated(unsafe): inputs are run one after the other.
  nonisolated(unsafe) static var consumed: UInt64 = 0
}
