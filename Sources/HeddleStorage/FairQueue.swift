// A queue with a line for each owner. Owners take turns, one item each, however many items one of them has added.

import DequeModule

/// A line for each owner, served in turn.
struct FairQueue<Owner: Hashable, Item> {
  private var lines: [Owner: Deque<Item>] = [:]
  /// Each owner whose line is not empty, once.
  private var turns = Deque<Owner>()

  mutating func add(_ item: Item, of owner: Owner) {
    if lines[owner] == nil { turns.append(owner) }
    lines[owner, default: []].append(item)
  }

  /// The next piece of whoever's turn it is.
  mutating func next() -> Item? {
    guard let owner = turns.popFirst(), let item = lines[owner]?.popFirst() else { return nil }
    if lines[owner]?.isEmpty == false { turns.append(owner) } else { lines[owner] = nil }
    return item
  }
}
