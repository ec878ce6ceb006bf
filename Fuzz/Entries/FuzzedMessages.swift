// Input: two bytes that choose the message, then its bytes.
//
// An accepted message can be packed, and its packed bytes decode to the same message.

import HeddleCore
import HeddleProtocol

enum FuzzedMessages {
  /// Codecs are reused for every message of a connection, so one is reused here.
  // @unchecked: inputs are run one after the other.
  private final class Coding: @unchecked Sendable {
    var codec = Codec()
  }

  private static let coding = Coding()

  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard bytes.count >= 2 else { return }
    let choice = Int(bytes[0]) | Int(bytes[1]) << 8
    try roundTrip(type(choice), UnsafeRawBufferPointer(rebasing: bytes[2...]))
  }

  /// The message whose name has this number, so that inputs keep their meaning when the schema grows; others choose
  /// any message.
  static func type(_ choice: Int) -> any WireMessage.Type {
    byNumber[choice] ?? MessageTypes.all[choice % MessageTypes.all.count]
  }

  private static let byNumber = Dictionary(
    MessageTypes.all.map { (number($0), $0) }, uniquingKeysWith: { first, _ in first })

  /// 16 bits of FNV-1a over the name.
  static func number(_ type: any WireMessage.Type) -> Int {
    let name = SchemaTable.messageName(type.schemaIndex) ?? ""
    return Int(name.utf8.reduce(0x811C_9DC5 as UInt32) { ($0 ^ UInt32($1)) &* 0x0100_0193 } & 0xFFFF)
  }

  private static func roundTrip<M: WireMessage>(_ type: M.Type, _ bytes: UnsafeRawBufferPointer) throws(Finding) {
    guard let first = try? coding.codec.decode(type, bytes) else { return }
    if FuzzPlant.messages.isSet { FuzzPlant.readTooFar(bytes) }
    let packed = coding.codec.encode(first)
    let second: M
    do throws(DecodeError) { second = try coding.codec.decode(type, packed) } catch {
      // The input had a larger budget if it was longer than its packed form, by overlong numbers or unknown fields.
      guard error != .budget || packed.count == bytes.count else { return }
      throw Finding("a message \(type) is packed to what is refused: \(error)")
    }
    // Not a number is not even itself: then the same bytes, read again, are not either. Read again, because values that
    // share a box are equal whatever is in it.
    guard second == first || (try? coding.codec.decode(type, bytes)) != first else {
      throw Finding("a message \(type) is another one when packed")
    }
    guard coding.codec.encode(second) == packed else { throw Finding("a message \(type) is packed in two ways") }
  }
}
