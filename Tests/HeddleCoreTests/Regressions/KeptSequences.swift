// Sequences that once failed, shrunk, with what they found. They are run before the random ones. A new one is pasted here
// as the failing test prints it.

import HeddleCore

let keptSequences: [(found: String, RuleSequence)] = [
  (
    "M7: a rollback down to a turn that a crash had ended told the initial context again",
    RuleSequence(
      .new(model: 2, mode: nil), features: 0,
      [
        .turn(.queue, model: nil, mode: nil), .restart, .turn(.queue, model: nil, mode: nil), .finish, .rollback(1),
        .turn(.queue, model: nil, mode: nil),
      ])
  ),
  (
    "M7: a fork up to a turn that a crash had ended told the initial context again",
    RuleSequence(
      .new(model: 2, mode: nil), features: 0,
      [
        .compact, .turn(.queue, model: nil, mode: nil), .restart, .forkUpTo(0), .turn(.queue, model: nil, mode: nil),
      ])
  ),
  (
    "M7: a fork up to a turn between two compactions began with all of the history",
    RuleSequence(
      .new(model: 0, mode: nil), features: 1,
      [
        .turn(.queue, model: nil, mode: nil), .finish, .compact, .turn(.queue, model: nil, mode: nil), .finish,
        .compact, .turn(.queue, model: nil, mode: nil), .finish, .forkUpTo(1),
      ])
  ),
]
