// Iterates over the items of all pages.

/// The items of a list; each page is asked for when the one before it is used up.
public struct Pages<Element: Sendable>: AsyncSequence, Sendable {
  typealias Page = (items: [Element], nextCursor: String)

  let page: @Sendable (_ cursor: String?) async throws -> Page

  public func makeAsyncIterator() -> Iterator { Iterator(page: page) }

  public struct Iterator: AsyncIteratorProtocol {
    let page: @Sendable (_ cursor: String?) async throws -> Page
    private var items: ArraySlice<Element> = []
    private var cursor: String?
    private var isLast = false

    init(page: @escaping @Sendable (_ cursor: String?) async throws -> Page) { self.page = page }

    /// Only an empty cursor ends it: a page may be empty and not the last.
    public mutating func next() async throws -> Element? {
      while items.isEmpty {
        if isLast { return nil }
        let found = try await page(cursor)
        items = found.items[...]
        cursor = found.nextCursor
        isLast = found.nextCursor.isEmpty
      }
      return items.popFirst()
    }
  }
}
