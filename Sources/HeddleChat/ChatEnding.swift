// The way out of a chat.

struct ChatEnding: Equatable, Sendable {
  /// A further Ctrl-C leaves.
  var isArmed = false
  /// The chat leaves as soon as nothing runs and no line waits.
  var isDue = false
  /// The exit code of the program.
  var status: Int32 = 0
}
