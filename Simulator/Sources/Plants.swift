// Bugs that are put in on purpose, each at a seam of the simulated server: its disk, its store, or its wire. A checker that
// does not find the one that is meant for it is no checker.

import HeddleCore

enum Plant: String, CaseIterable {
  /// Submissions are answered before they are written.
  case ackBeforeSync
  /// The disk says that it has synced, and has not.
  case lyingDisk
  /// After a restart no idempotency key is found.
  case keysForgotten
  /// A key finds the answer of another request.
  case wrongAnswerForKey
  /// The server never sees the idempotency key.
  case keyIgnored
  /// Half of an idempotency key reaches the server.
  case keyRounded
  /// A resumed subscription leaves out the first event.
  case resumeOffByOne
  /// A resumed subscription gets its last event again.
  case resumeRepeats
  /// One of many events is left out when a slow reader catches up.
  case eventDroppedForSlow
  /// The pinned version is not in the loaded thread.
  case versionForgotten
  /// The selected mode is taken from the last effective one.
  case selectionFromEffective
  /// The baseline of the model's context is not in the loaded thread.
  case baselineForgotten
  /// Waiting mail is not in the loaded thread.
  case mailLost
  /// Mail on its way is not in the loaded thread.
  case outboxLost
  /// Waiting turns are not in the loaded thread.
  case queueLost
  /// The turn that ran is not in the loaded thread, so it never ends.
  case runningTurnForgotten
  /// The snapshot is of a later state than its number says.
  case snapshotAhead
  /// A snapshot without the events behind it.
  case tailNotRead
  /// Rolled-back turns are not in the loaded thread.
  case rollbackForgotten
  /// A settings change is not in the loaded thread.
  case settingsForgotten
  /// The client's tools are not in the loaded thread.
  case toolsForgotten
  /// A thread is found by every tenant.
  case tenantNotChecked
  /// Another tenant's thread that is not loaded is found by requests that need only its row.
  case rowOfAnotherTenant
  /// A deleted thread is found again.
  case tombstoneIgnored
  /// A fork's history ends one event early.
  case forkCutShort
  /// A page of a list leaves out one entry.
  case listSkips
  /// The expected revision never reaches the check.
  case revisionNotChecked
  /// The expected revision never reaches the check when metadata is changed.
  case revisionNotCheckedEverywhere
  /// A fork is reported with the version that the catalog asks for now.
  case forkAsksCatalog
  /// An event goes out twice.
  case eventTwice
  /// An answer goes to another request of the connection.
  case answerToAnother
  /// A connection stays open after its token has expired.
  case tokenNeverEnds
  /// A forged token is as good as any.
  case forgedTokenTaken
  /// A request may bring another tenant's token.
  case foreignTokenTaken
  /// An ephemeral thread is stored on disk.
  case memoryOnDisk
  /// A subscription gets no more events, and no error.
  case streamGoesSilent
  /// No client is notified that a thread is idle again.
  case statusLost
  /// A subscription that goes live gets no text so far of unfinished items.
  case textSoFarLost
  /// Credit that a client gives is not added to the rest.
  case creditLost
  /// More goes out than a client has given credit for.
  case creditTwice
  /// An atomic group of two threads is written as two mutations.
  case halvesApart
  /// A failed group is reported as written.
  case failureHidden
}
