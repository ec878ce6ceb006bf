// The one place that names a kind of store; everything else knows the contract.

import HeddleSQLite
import HeddleStorage

/// The stores that the program can open.
enum Stores {
  /// Opens the store of a data folder, which is made if it is missing.
  static func open(_ folder: String) throws(StoreError) -> any Store { try SQLiteStore(folder: folder) }

  /// Looks at all data of a folder that no server holds, and says what is wrong with it.
  static func check(_ folder: String) throws(StoreError) -> [String] { try SQLiteStore.check(folder: folder) }

  /// Gives pages the checksum of what is in them, if nothing else is wrong.
  static func reseal(_ folder: String) throws(StoreError) -> [String] { try SQLiteStore.reseal(folder: folder) }
}

/// A store's refusal in words that say what to do.
func describe(_ error: StoreError, folder: String) -> String {
  switch error {
  case .inUse(let owner): "\(folder) is in use by \(owner); end it first, or choose another folder with --data"
  case .unusable(let text): "\(folder) cannot be used: \(text)"
  case .diskFull: "the disk of \(folder) is full; free some space"
  case .failed(let text), .unreadable(let text): "\(folder): the disk failed: \(text)"
  case .unreachable(let text): "the store cannot be reached: \(text); try again when it can be"
  case .fenced(let text): "another process has taken over: \(text)"
  case .damaged(let thread, let sequence):
    "\(folder): thread \(thread) is damaged at event \(sequence); restore it from a backup"
  case .conflict(let text): "\(folder): \(text)"
  }
}
