import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleRuntime

@Suite struct ContextShelfTests {
  private let range = ContextRange(ThreadRecord(), upTo: 0)
  private let part = 10_000

  /// A context of one thread that takes a bit more than `part` bytes.
  private func begun(on shelf: ContextShelf) -> ModelContext? {
    guard let context = shelf.begin(range) else { return nil }
    shelf.begin(context, with: history())
    return context
  }

  private func history() -> History {
    var history = History()
    history.add(.itemCompleted(ItemCompleted(item: Item(status: .completed))), bytes: part)
    return history
  }

  @Test("ModelContext.C3: what is kept is bounded; what was used least recently goes first")
  func bounded() throws {
    let shelf = ContextShelf(bytes: 100_000)
    let first = try #require(begun(on: shelf))
    let used = try #require(begun(on: shelf))
    for _ in 0..<30 {
      #expect(begun(on: shelf) != nil)
      #expect(shelf.bytes <= 100_000)
      _ = used.history(range)
    }
    #expect(shelf.bytes > 50_000)
    #expect(first.history(range) == nil)
    #expect(used.history(range) != nil)
  }

  @Test("ModelContext.C3: one that would take more than half of the shelf is not kept, and pushes out nobody")
  func tooLarge() throws {
    let shelf = ContextShelf(bytes: 4 * part)
    let small = try #require(begun(on: shelf))
    let large = try #require(begun(on: shelf))
    for number in 1...3 {
      let item = ItemCompleted(item: Item(status: .completed))
      shelf.add(Event(sequence: UInt64(number), kind: .itemCompleted(item)), bytes: part, to: large)
    }
    #expect(large.isForgotten)
    #expect(small.history(range) != nil)
    #expect(shelf.bytes < 2 * part)
  }

  @Test("ModelContext.C3: what is forgotten gives its room back, and a shelf without room keeps nothing")
  func givenBack() throws {
    let shelf = ContextShelf(bytes: 4 * part)
    shelf.forget(try #require(begun(on: shelf)))
    #expect(shelf.bytes == 0)
    #expect(ContextShelf(bytes: 0).begin(range) == nil)
  }
}
