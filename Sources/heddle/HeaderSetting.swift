// Headers of HTTP as settings give them, a line each.

import Configuration
import Foundation

enum HeaderSetting {
  /// Nil: the line is not `Name: value` in printable ASCII.
  static func parse(_ line: String) -> (name: String, value: String)? {
    let parts = line.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(isToken) else { return nil }
    let value = parts[1].trimmingCharacters(in: .whitespaces)
    return value.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f } ? (String(parts[0]), value) : nil
  }

  /// RFC 9110, 5.6.2, as far as anybody uses it.
  private static func isToken(_ byte: UInt8) -> Bool {
    let character = Character(UnicodeScalar(byte))
    return character.isASCII && (character.isLetter || character.isNumber || character == "-" || character == "_")
  }
}
