// The errors of every kind of store.

import HeddleCore

/// Each case names the writes that it concerns and the reaction of the process.
public enum StoreError: Error, Equatable, Sendable, CustomStringConvertible {
  /// There is no space: nothing of the group was written, reads go on (durability.md D9).
  case diskFull
  /// A write or a sync failed: the part that reached the disk is unknown, the process must end (durability.md D8).
  case failed(String)
  /// Another process has taken this one's threads over: nothing of the group was written, the process must end.
  case fenced(String)
  /// The store cannot be reached now: nothing of the group was written, changes wait until it can be.
  case unreachable(String)
  /// A read failed, be it for a lack of descriptors or of a disk; nothing was changed, another try may work.
  case unreadable(String)
  /// Stored bytes are not those that were written; readable up to this event, 0 if that is not known. The thread is
  /// zero for a key that belongs to none (durability.md D7).
  case damaged(thread: ThreadID, sequence: UInt64)
  /// Another process has the store open; the text names it (durability.md D13).
  case inUse(by: String)
  /// The store cannot be used; the text has the reason and the remedy.
  case unusable(String)
  /// A mutation breaks Store.P4 or P7, or writes to a thread that has no row or is deleted: a bug of the caller.
  /// Nothing of its `submit` was written; others of the same group are not touched.
  case conflict(String)

  /// The error in words, for logs.
  public var description: String {
    switch self {
    case .diskFull: "the disk is full"
    case .failed(let text), .fenced(let text), .unreachable(let text), .unusable(let text), .conflict(let text): text
    case .unreadable(let text): "a read failed: \(text)"
    case .damaged(let thread, let sequence):
      thread == ThreadID() ? "stored bytes are damaged" : "thread \(thread) is damaged at event \(sequence)"
    case .inUse(let owner): "in use by \(owner)"
    }
  }

  /// The error is about one submission only: others of its group may be written.
  public var isOfOneSubmission: Bool {
    switch self {
    case .conflict, .damaged, .unreadable: true
    case .diskFull, .failed, .fenced, .unreachable, .inUse, .unusable: false
    }
  }

  /// The error is about the store as a whole, and every other change would meet it too.
  public var isOfStore: Bool {
    switch self {
    case .diskFull, .failed, .fenced, .unreachable: true
    case .unreadable, .damaged, .inUse, .unusable, .conflict: false
    }
  }
}
