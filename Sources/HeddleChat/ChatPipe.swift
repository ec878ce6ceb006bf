// Lines of a pipe: a turn each, one after the other, and only these turns are shown (ChatState.H4).

import HeddleCore

struct ChatPipe: Equatable, Sendable {
  /// A message that came before it was known whose turn it is of.
  struct Held: Equatable, Sendable {
    var thread: ThreadID
    var message: SubscriptionEvent
  }

  /// Lines that wait for the turn before them, where nobody can see what it does.
  var backlog: [String] = []
  /// Turns of lines.
  var turns: Set<TurnID> = []
  /// The message in hand is of a turn that is not to be shown.
  var isMuted = false
  /// Lines that have no answer yet, and the messages meanwhile: only the answer tells whose turn they are of.
  private var sending = 0
  private var held: [Held] = []

  mutating func sent() { sending += 1 }

  /// Whether a message has to wait for the answer to a line.
  mutating func holds(_ message: SubscriptionEvent, of thread: ThreadID) -> Bool {
    guard sending > 0 else { return false }
    held.append(Held(thread: thread, message: message))
    return true
  }

  /// A line has its answer, or none; gives the messages that waited for it.
  mutating func answered() -> [Held] {
    sending -= 1
    guard sending == 0 else { return [] }
    defer { held = [] }
    return held
  }

  /// Whether a message is of a turn of this chat's, or of no turn.
  func owns(_ message: SubscriptionEvent) -> Bool {
    let turn: TurnID? =
      switch message.kind {
      case .event(let event)?: event.turn
      case .delta(let delta)?: delta.turn
      case .snapshot(let snapshot)?: snapshot.turn
      default: nil
      }
    return turn.map { turns.contains($0) } ?? true
  }
}
