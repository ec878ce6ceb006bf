// How far a name is from another one: what a person most likely meant who mistyped it.

enum NameDistance {
  /// Names are far shorter; a longer one is compared by its beginning, so that none takes long.
  private static let comparedBytes = 128

  /// Letters that were added, left out, changed or swapped with their neighbour. Case, hyphens and underscores do not
  /// count: `token_file` and `token-file` are `tokenFile`.
  static func between(_ first: String, _ second: String) -> Int {
    let first = letters(first)
    let second = letters(second)
    var earlier: [Int] = []
    var above = Array(0...second.count)
    for row in first.indices {
      var line = [row + 1]
      for column in second.indices {
        var cost = above[column] + (first[row] == second[column] ? 0 : 1)
        cost = min(cost, above[column + 1] + 1, line[column] + 1)
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          cost = min(cost, earlier[column - 1] + 1)
        }
        line.append(cost)
      }
      earlier = above
      above = line
    }
    return above[second.count]
  }

  private static func letters(_ name: String) -> [UInt8] {
    let hyphens = [UInt8(ascii: "-"), UInt8(ascii: "_")]
    return name.lowercased().utf8.prefix(comparedBytes).filter { !hyphens.contains($0) }
  }
}
