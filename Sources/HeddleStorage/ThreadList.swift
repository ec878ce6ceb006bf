// Pages of threads: what is asked for and what is found.

import HeddleCore

/// Which threads a list wants; nil means any.
public struct ThreadFilter: Equatable, Sendable {
  public var archived = false
  public var source: ThreadSource?
  public var parent: ThreadID?
  public var forkedFrom: ThreadID?
  public var modelProvider: String?
  /// Part of the name or the preview, case ignored for ASCII.
  public var text: String?
  public var workingFolder: String?
  /// Inclusive.
  public var createdAfter: Int64?
  /// Exclusive.
  public var createdBefore: Int64?
  public var newestFirst = true

  public init() {}
}

/// A place in a list of threads, whose order (creation, then id) never changes.
public struct ListPosition: Equatable, Sendable {
  public var createdAt: Int64
  public var id: ThreadID
  public init(createdAt: Int64, id: ThreadID) {
    self.createdAt = createdAt
    self.id = id
  }
}

/// A page of a list.
public struct ThreadPage: Equatable, Sendable {
  public var rows: [ThreadRow]
  /// Behind what the next page begins; nil: nothing follows.
  public var next: ListPosition?

  public init(rows: [ThreadRow], next: ListPosition?) {
    self.rows = rows
    self.next = next
  }
}
