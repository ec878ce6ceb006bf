// A terminal of tests: it understands the few sequences that the painter uses, and nothing else.

import Testing

@testable import HeddleChat

/// A terminal: text, line breaks, and the five sequences of the painter. Rows that scroll off are kept.
struct Screen {
  private(set) var rows: [[String]] = [[]]
  private(set) var row = 0
  private(set) var column = 0
  /// The last cell is filled, and the next character begins a row.
  private var isFull = false
  /// Rows that the terminal broke: the next one continues them.
  private var broken: Set<Int> = []
  private(set) var width: Int

  init(width: Int) { self.width = width }

  var lines: [String] { rows.map { $0.joined().trimmingSuffixWhitespace() } }

  mutating func write(_ text: String) {
    var scalars = text.unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\n": lineFeed()
      case "\r": (column, isFull) = (0, false)
      case "\u{1B}": sequence(&scalars)
      default: put(scalar)
      }
    }
  }

  /// Another width. Lines are broken anew, as most terminals do, and the cursor stays with its cell.
  mutating func resize(width: Int) {
    var lines: [[String]] = []
    var cursor = (line: 0, cell: 0)
    for index in rows.indices {
      if index == 0 || !broken.contains(index - 1) { lines.append([]) }
      if index == row { cursor = (lines.count - 1, lines[lines.count - 1].count + column + (isFull ? 1 : 0)) }
      lines[lines.count - 1] += rows[index]
    }
    (rows, broken, isFull, self.width) = ([], [], false, width)
    for (number, line) in lines.enumerated() {
      let start = rows.count
      rows += line.isEmpty ? [[]] : stride(from: 0, to: line.count, by: width).map { Array(line[$0...].prefix(width)) }
      broken.formUnion(start..<(rows.count - 1))
      guard number == cursor.line else { continue }
      (row, column) = (start + cursor.cell / width, cursor.cell % width)
      while row >= rows.count { rows.append([]) }
    }
  }

  private mutating func lineFeed(breaks: Bool = false) {
    if breaks { broken.insert(row) } else { broken.remove(row) }
    row += 1
    (column, isFull) = (0, false)
    if row == rows.count { rows.append([]) }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let cells = TerminalText.width(scalar)
    if cells == 0 {
      if column > 0, rows[row].count >= column { rows[row][column - 1].unicodeScalars.append(scalar) }
      return
    }
    if isFull || column + cells > width { lineFeed(breaks: true) }
    while rows[row].count < column + cells { rows[row].append(" ") }
    rows[row][column] = String(scalar)
    if cells == 2 { rows[row][column + 1] = "" }
    column += cells
    isFull = column == width
    if isFull { column = width - 1 }
  }

  private mutating func sequence(_ scalars: inout Substring.UnicodeScalarView.SubSequence) {
    guard scalars.popFirst() == "[" else { return }
    var digits = ""
    while let scalar = scalars.popFirst() {
      if scalar.properties.numericType != nil || scalar == ";" {
        digits.unicodeScalars.append(scalar)
        continue
      }
      let count = Int(digits) ?? 1
      switch scalar {
      case "J" where digits == "2": (rows, row, column, isFull, broken) = ([[]], 0, 0, false, [])
      case "A": (row, isFull) = (max(0, row - count), false)
      case "C": (column, isFull) = (min(width - 1, column + count), false)
      case "J":
        rows[row].removeSubrange(min(column, rows[row].count)...)
        rows.removeSubrange((row + 1)...)
        broken = broken.filter { $0 < row }
      case "H", "m": break
      default: Issue.record("a sequence that the painter does not use: \(digits)\(scalar)")
      }
      return
    }
  }
}
