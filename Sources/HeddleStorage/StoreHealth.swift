// How a store is, for the server that runs on it (durability.md D8, D9). A store finds out by itself or when it is asked
// to look, and tells by notices.

/// News of a store that no answer to a change or a read brings.
public enum StoreNotice: Equatable, Sendable {
  /// Changes can be made again: there is room, or the store can be reached.
  case writable
  /// The store cannot go on. The error says whether the process must end.
  case failed(StoreError)
  /// Something for the log that a person has to see to. Urgent: data is at risk.
  case concern(String, details: [String: String], isUrgent: Bool)
}

/// The health of a store.
public protocol StoreHealth: Sendable {
  /// Calls `tell` for every notice, from any thread, until the store is closed. Concerns that were there before are told
  /// at once. A store that is being closed looks a last time.
  func listen(_ tell: @escaping @Sendable (StoreNotice) -> Void)
  /// The server refuses changes, because one failed with `diskFull` or `unreachable`, and is about to end what runs. The
  /// store gives up what it holds back for that, and tells when it is `writable`.
  func becameReadOnly()
  /// Has a look, off the caller's thread. The server asks for one every second.
  func look()
}
