// Where a fault in a JSON text stands, for a person who has to find it: the line and the column.

public struct JSONPosition: Equatable, Sendable, CustomStringConvertible {
  /// Both count from 1; a column is a character, however many bytes it has.
  public var line: Int
  public var column: Int

  public init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  public var description: String { "line \(line), column \(column)" }
}

extension JSONError {
  /// Where the fault is in the text that was read. A fault of the whole value stands at its beginning.
  public func position(in text: String) -> JSONPosition {
    let offset =
      switch place {
      case .offset(let offset): offset
      case .path(let path): JSONParser.offset(of: member ?? path, in: text) ?? JSONParser.offset(of: "", in: text) ?? 0
      }
    let before = Array(text.utf8.prefix(offset))
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return JSONPosition(
      line: before.count { $0 == UInt8(ascii: "\n") } + 1,
      column: String(decoding: before[lineStart...], as: UTF8.self).count + 1)
  }
}
