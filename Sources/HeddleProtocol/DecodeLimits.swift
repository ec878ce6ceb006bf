// What decoding may cost (protocol.md, limits). The defaults are for bytes of a stranger.

public struct DecodeLimits: Sendable {
  public var nesting = 32
  public var repeatedElements = 65_536
  public var unknownFields = 64
  /// Times that one singular sub-message may stand in a message: each one costs a merge of all before it.
  public var singularRepeats = 8
  /// Memory for one message, as a multiple of its bytes (nil: no bound), and what even the smallest may take.
  public var budgetFactor: Int? = 8
  public var budgetFloorBytes = 64 * 1024

  public init() {}

  /// For bytes of our own: records of the store, which a checksum proves, and answers of the server that a client chose.
  /// A record that was written must be readable, so nothing here depends on how large or how many its parts are: the
  /// encoder bounds them. The schema bounds the depth, and the encoder never repeats a singular message.
  public static let trusted: DecodeLimits = {
    var limits = DecodeLimits()
    limits.repeatedElements = .max
    limits.unknownFields = .max
    limits.budgetFactor = nil
    return limits
  }()

  /// Memory for a message of so many bytes.
  func budget(_ bytes: Int) -> Int {
    guard let budgetFactor else { return .max }
    return max(budgetFloorBytes, budgetFactor * bytes)
  }
}
