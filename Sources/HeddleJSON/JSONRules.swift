// Rules for reading a JSON text: how strict, how deep, how large.

public struct JSONRules: Equatable, Sendable {
  /// A name that stands twice in an object and half of a surrogate pair are refused. Otherwise both members are kept, of
  /// which the last counts, and half a pair and U+0000, which no text of Heddle may hold, become U+FFFD.
  public var isStrict: Bool
  /// A name may stand twice all the same: programs of others write such texts, and their readers take the last.
  public var mayRepeatNames: Bool
  /// Deepest nesting, so that no text can exhaust the stack.
  public var depth: Int
  /// Longest text.
  public var bytes: Int

  public init(isStrict: Bool, depth: Int, bytes: Int, mayRepeatNames: Bool = false) {
    self.isStrict = isStrict
    self.mayRepeatNames = mayRepeatNames
    self.depth = depth
    self.bytes = bytes
  }

  /// Twice the nesting that any message of the schema can need, and four times the largest frame.
  public static let strict = JSONRules(isStrict: true, depth: 64, bytes: 64 << 20)
}
