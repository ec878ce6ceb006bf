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
      case .path(let path):
        (try? JSONNode(parsing: text)).flatMap { $0.offset(of: member ?? path) ?? $0.range.lowerBound } ?? 0
      }
    let before = Array(text.utf8.prefix(offset))
    let lineStart = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return JSONPosition(
      line: before.count { $0 == UInt8(ascii: "\n") } + 1,
      column: String(decoding: before[lineStart...], as: UTF8.self).count + 1)
  }
}

extension JSONNode {
  /// The offset of the value at a path such as `input.content[0]`; names count in both forms that messages of the schema
  /// take, `client_info` and `clientInfo`.
  fileprivate func offset(of path: String) -> Int? { offset(of: Self.plain(path), at: "") }

  private func offset(of sought: String, at path: String) -> Int? {
    if path == sought { return range.lowerBound }
    if let elements {
      return elements.enumerated().lazy.compactMap { $1.offset(of: sought, at: "\(path)[\($0)]") }.first
    }
    return members?.lazy.compactMap { name, value in
      value.offset(of: sought, at: (path.isEmpty ? "" : "\(path).") + Self.plain(name))
    }.first
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != "_" } }
}
