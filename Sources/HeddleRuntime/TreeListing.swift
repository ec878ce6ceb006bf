// The members of a tree, for a request that concerns all of them. Most are on disk only, so the tree is read from there,
// and while it is read agents come and go: one that began after the read had its look at the disk may have done its task
// and be unloaded when the read is answered.
//
// L1  The members are those on disk when the list began, and every thread of the tree that was in memory from then until
//     `end`. Each member is one or the other, on its way to the disk or not (rules.md T6).

import HeddleCore

/// One list, while it is made. Used on its shard's loop only.
final class TreeListing {
  private unowned let shard: Shard
  private let root: ThreadID
  /// Members whose sessions have ended since the list began.
  private var left: [ThreadID] = []
  /// The members that were found on disk.
  var found: [ThreadID] = []

  /// Begins the list of this thread's tree, which has no other members if the thread is no root.
  init(of root: ThreadID, on shard: Shard) {
    self.shard = shard
    self.root = root
    shard.listings.append(self)
  }

  /// The members as of now, each once. They are complete until the loop does something else.
  func end() -> [ThreadID] {
    shard.listings.removeAll { $0 === self }
    let live = shard.sessions.values.filter { $0.root == root }.map(\.id)
    var known: Set<ThreadID> = []
    return (found + [root] + left + live.sorted()).filter { known.insert($0).inserted }
  }

  /// The session has ended. A thread whose first write failed was never there.
  fileprivate func left(_ session: Session) {
    guard session.root == root, session.durable > 0 || session.failure == nil else { return }
    left.append(session.id)
  }
}

extension Shard {
  /// A session ends: it is in memory no more.
  func left(_ session: Session) {
    for listing in listings { listing.left(session) }
  }
}
