// Input: a byte that chooses, one that says how long positions are, then a cursor or a position.
//
// A signed cursor gives its position back, for its own query only, and all other bytes are refused.

import HeddleCore
import HeddleService

enum FuzzedCursors {
  private static let signer = CursorSigner(key: [UInt8](repeating: 7, count: 32))

  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var input = InputReader(bytes)
    let choice = input.byte()
    let count = Int(input.byte())
    if choice & 1 == 0 {
      let text = String(decoding: input.all(), as: UTF8.self)
      guard let position = read(text, count) else { return }
      guard position == .some(nil) && text.isEmpty else { throw Finding("a cursor that nobody signed is taken") }
    } else {
      try signed(input.bytes(count), change: Int(choice >> 1), count: input.all())
    }
  }

  /// Nil: refused.
  private static func read(
    _ cursor: String, _ count: Int, tenant: String = "a", method: Method = .threadList, query: [UInt8] = [1]
  ) -> [UInt8]?? {
    do throws(Refusal) {
      let position = try signer.position(cursor, bytes: count, tenant: tenant, method: method, query: query)
      if FuzzPlant.cursor.isSet { FuzzPlant.offByOne(position, count) }
      return position
    } catch { return nil }
  }

  private static func signed(_ position: [UInt8], change: Int, count others: [UInt8]) throws(Finding) {
    let cursor = signer.sign(position, tenant: "a", method: .threadList, query: [1])
    // Longer ones are never made.
    guard cursor.utf8.count <= 256 else { return }
    guard read(cursor, position.count) == .some(position) else { throw Finding("a cursor does not read back") }
    let refused = [
      read(cursor, position.count + 1), read(cursor, position.count, tenant: "b"),
      read(cursor, position.count, method: .threadListTurns), read(cursor, position.count, query: others + [2]),
      read(cursor + "AAAA", position.count), read(String(cursor.dropFirst(4)), position.count),
    ]
    guard refused.allSatisfy({ $0 == nil }) else { throw Finding("a cursor is taken for what it was not signed for") }
    var letters = Array(cursor.utf8)
    // The last letter has bits that mean nothing.
    let place = change % (letters.count - 1)
    let before = letters[place]
    letters[place] = before == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
    guard read(String(decoding: letters, as: UTF8.self), position.count) == nil else {
      throw Finding("a cursor is taken with letter \(place) changed")
    }
  }
}
