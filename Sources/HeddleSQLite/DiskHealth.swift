// The health of a store in a folder: damaged pages, the space held back for a full disk, and whether the folder is still
// there (durability.md D7, D8, D9).

import HeddleStorage
import Synchronization

final class DiskHealth: StoreHealth {
  private struct State {
    var tell: (@Sendable (StoreNotice) -> Void)?
    /// The server waits for room.
    var isReadOnly = false
    /// A look waits for its turn or is under way.
    var isLooking = false
  }

  let wrongPages = WrongPages()
  /// Nil on a simulated disk.
  let folder: DataFolder?
  private let pool: ReadPool
  private let staysBehind: String?
  private let state = Mutex(State())

  init(_ folder: DataFolder?, _ pool: ReadPool, staysBehind: String?) {
    self.folder = folder
    self.pool = pool
    self.staysBehind = staysBehind
  }

  func listen(_ tell: @escaping @Sendable (StoreNotice) -> Void) {
    state.withLock { $0.tell = tell }
    if let staysBehind {
      tell(
        .concern(
          "the database is of an earlier version, without checksums of pages, and stays so",
          details: ["reason": staysBehind], isUrgent: false))
    }
    wrongPages.listen { page in
      tell(
        .concern(
          "a page of the database is damaged: what is whole in it is served; run heddle check, restore a backup",
          details: ["page": "\(page)"], isUrgent: true))
    }
  }

  func becameReadOnly() {
    releaseReserve()
    state.withLock { $0.isReadOnly = true }
  }

  /// For tests.
  var isLooking: Bool { state.withLock(\.isLooking) }

  func look() {
    let begins = state.withLock { state in
      defer { state.isLooking = true }
      return !state.isLooking
    }
    guard begins else { return }
    pool.submit(.short) {
      let notice = self.examine()
      let tell = self.state.withLock { state in
        if notice == .writable { state.isReadOnly = false }
        return state.tell
      }
      if let notice { tell?(notice) }
      self.state.withLock { $0.isLooking = false }
    }
  }

  private func examine() -> StoreNotice? {
    if state.withLock(\.isReadOnly) { return restoreReserve() ? .writable : nil }
    // Somebody may remove or replace the folder of a server to which nobody writes; writes ask so themselves, before they
    // are answered (D8).
    do throws(StoreError) { try folder?.verify() } catch { return .failed(error) }
    return nil
  }

  /// Looks a last time and says nothing more. The folder may have been taken away since anybody looked: whatever was
  /// acknowledged is gone with it, and a supervisor must hear of that (D8).
  func end(looking: Bool) {
    let (tell, isReadOnly) = state.withLock { state in
      defer { state.tell = nil }
      return (state.tell, state.isReadOnly)
    }
    wrongPages.listen(nil)
    guard looking, !isReadOnly, let tell else { return }
    do throws(StoreError) { try folder?.verify() } catch { tell(.failed(error)) }
  }

  /// Gives the space held back to the disk, so that running turns can be ended on a full one (D9).
  func releaseReserve() { folder?.releaseReserve() }

  /// Holds the space back again; true if that worked and there is room beyond it: writes may resume (D9).
  func restoreReserve() -> Bool {
    guard let folder else { return true }
    guard folder.allocateReserve() else { return false }
    if folder.canWrite() { return true }
    folder.releaseReserve()
    return false
  }
}

/// Says once of each page that its checksum is wrong.
final class WrongPages: Sendable {
  private struct State {
    var told: Set<UInt32> = []
    var tell: (@Sendable (UInt32) -> Void)?
  }

  private let state = Mutex(State())

  /// Nil: nobody listens any more.
  func listen(_ tell: (@Sendable (UInt32) -> Void)?) { state.withLock { $0.tell = tell } }

  func tell(_ pages: [UInt32]) {
    guard !pages.isEmpty else { return }
    let (new, tell) = state.withLock { state in
      (pages.filter { state.tell != nil && state.told.insert($0).inserted }, state.tell)
    }
    for page in new { tell?(page) }
  }
}
