// The parts of a session's state that belong together.

import HeddleCore

extension Session {
  /// Places in the thread's log.
  struct Marks {
    /// The event of the newest snapshot.
    var snapshot: UInt64
    /// The newest event when the thread was loaded.
    let loaded: UInt64
    /// The turn that the last event carried out belongs to. One input may end a turn and start the next.
    var ordinal: UInt64
    /// The turn whose first text has been counted.
    var firstText = TurnID()
  }

  /// The state of the thread as the outside knows it.
  struct Shown {
    /// In the index of live threads.
    var state = ThreadState.unspecified
    /// The status that followers were notified of.
    var status: ThreadStatus
  }

  /// The permit of a turn (Session.N4).
  struct Permit {
    var isTaken = false
    /// The inputs that start the turn are on their way: the permit is kept although no turn runs yet.
    var isKept = false
  }

  /// Work that waits for the thread, or that the thread waits for.
  struct Waits {
    /// Requests that need the thread loaded while they read something else.
    var holds = 0
    /// Commands behind a command that reads something first; nil: there is none.
    var paused: [() -> Void]?
    /// Followers that have read from disk an event that has not been released yet.
    var ahead: [@Sendable () -> Void] = []
  }

  /// The end of a session.
  struct End {
    let refusal: Refusal
    /// A write failed: what was decided here and is not on disk never happened.
    let isOfWrite: Bool
  }
}
