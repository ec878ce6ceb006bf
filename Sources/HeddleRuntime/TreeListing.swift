// The members of a tree, for a request that concerns all of them. Most are on disk only, so the tree is read from there,
// and while it is read agents come and go: one that began after the read had its look at the disk may have done its task
// and be unloaded when the read is answered.
//
// L1  The members are those on disk when the list began, and every thread of the tree that was in memory from then until
//     `end`. Each member is one or the other, on its way to the disk or not (rules.md T6).

import HeddleCore

/// One list, while it is made.
final class TreeListing {
  /// The root of the tree; a thread that is no root has no other members.
  let root: ThreadID
  /// Members whose sessions have ended since the list began.
  private var left: [ThreadID] = []
  /// The members that were found on disk.
  var found: [ThreadID] = []

  init(of root: ThreadID) { self.root = root }

  /// The session of a member has ended.
  func left(_ member: ThreadID) { left.append(member) }

  /// The members, each once. `live`: those that are in memory now.
  func members(live: [ThreadID]) -> [ThreadID] {
    var known: Set<ThreadID> = []
    return (found + [root] + left + live.sorted()).filter { known.insert($0).inserted }
  }
}
