// A queue with a line for each owner. Owners take turns, one item each, however many items one of them has added.

/// First in, first out. Taking costs the same however much waits.
private struct Line<Item> {
  private var items: [Item?] = []
  private var first = 0

  var isEmpty: Bool { first == items.count }

  mutating func add(_ item: Item) { items.append(item) }

  mutating func take() -> Item? {
    guard first < items.count else { return nil }
    let item = items[first]
    items[first] = nil
    first += 1
    // Half of it is gone: moving the rest costs less than what was taken.
    if first >= 64, first * 2 >= items.count {
      items.removeFirst(first)
      first = 0
    }
    return item
  }
}

/// A line for each owner, served in turn.
struct FairQueue<Owner: Hashable, Item> {
  private var lines: [Owner: Line<Item>] = [:]
  /// Each owner whose line is not empty, once.
  private var turns = Line<Owner>()

  mutating func add(_ item: Item, of owner: Owner) {
    if lines[owner] == nil { turns.add(owner) }
    lines[owner, default: Line()].add(item)
  }

  /// The next piece of whoever's turn it is.
  mutating func next() -> Item? {
    guard let owner = turns.take(), let item = lines[owner]?.take() else { return nil }
    if lines[owner]?.isEmpty == false { turns.add(owner) } else { lines[owner] = nil }
    return item
  }
}
