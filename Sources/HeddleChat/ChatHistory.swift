// The lines that a person has entered, as the bytes of a file: an entry a line, the newest last.
//
//   \\   a backslash
//   \n   a line break inside an entry
//   \r   a carriage return
//
// Any other backslash stands for itself, so that a file which a person has edited can be read.

public enum ChatHistory {
  /// The newest that are kept.
  public static let count = 1_000
  /// Longer ones were pasted, and nobody looks for them by arrow keys.
  static let entryBytes = 64 * 1024

  /// The bytes to write so that a file holds one entry more.
  public enum Change: Equatable, Sendable {
    case nothing
    case append([UInt8])
    /// The file is full, or was not written by this program: all of it is written again.
    case replace([UInt8])
  }

  /// Whether an entry is remembered at all: one that begins with a space is not.
  public static func keeps(_ entry: String) -> Bool {
    entry.first != " " && entry.utf8.count <= entryBytes && entry.contains { !$0.isWhitespace }
  }

  public static func entries(_ bytes: some Collection<UInt8>) -> [String] {
    let lines = bytes.split(separator: UInt8(ascii: "\n")).suffix(count)
    return lines.map { entry(String(decoding: $0, as: UTF8.self)) }
  }

  /// Adds an entry to what the file holds now; other chats may have written it.
  public static func adding(_ entry: String, to bytes: [UInt8]) -> Change {
    guard keeps(entry) else { return .nothing }
    let line = Array(line(entry).utf8)
    let lines = bytes.split(separator: UInt8(ascii: "\n"))
    if let last = lines.last, Array(last) == line { return .nothing }
    guard lines.count < count else {
      return .replace(Array((lines.suffix(count - 1) + [line[...]]).joined(separator: [UInt8(ascii: "\n")])) + [0x0A])
    }
    // A writer that was killed may have left half a line.
    let begin: [UInt8] = bytes.last.map { $0 == 0x0A } ?? true ? [] : [0x0A]
    return .append(begin + line + [0x0A])
  }

  static func line(_ entry: String) -> String {
    var out = String.UnicodeScalarView()
    for scalar in entry.unicodeScalars {
      switch scalar {
      case "\\": out.append(contentsOf: "\\\\".unicodeScalars)
      case "\n": out.append(contentsOf: "\\n".unicodeScalars)
      case "\r": out.append(contentsOf: "\\r".unicodeScalars)
      default: out.append(scalar)
      }
    }
    return String(out)
  }

  static func entry(_ line: String) -> String {
    var out = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in line.unicodeScalars {
      guard isEscaped else {
        if scalar == "\\" { isEscaped = true } else { out.append(scalar) }
        continue
      }
      isEscaped = false
      switch scalar {
      case "\\": out.append("\\")
      case "n": out.append("\n")
      case "r": out.append("\r")
      default: out.append(contentsOf: ["\\", scalar])
      }
    }
    if isEscaped { out.append("\\") }
    return String(out)
  }
}
