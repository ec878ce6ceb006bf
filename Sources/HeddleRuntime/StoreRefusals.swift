// The refusals that clients get when the store fails.

import HeddleCore
import HeddleStorage

extension StoreError {
  /// The refusal that a client gets. The cause is in the log, never on the wire.
  public var refusal: Refusal {
    switch self {
    case .diskFull: Refusal(.diskFull, retryAfterMilliseconds: 1_000)
    case .damaged(let thread, let sequence):
      thread == ThreadID()
        ? Refusal(.dataLoss) : Refusal(.dataLoss, [("thread", thread.description), ("sequence", "\(sequence)")])
    case .failed, .fenced, .unreachable, .inUse, .unusable: Refusal(.storageFailed)
    case .unreadable: Refusal(.readFailed)
    case .conflict: Refusal(.internal)
    }
  }
}
