// Errors of JSON texts and of values that do not fit a schema.

/// Why JSON text is not the message that it should be.
public struct JSONError: Swift.Error, Equatable, Sendable, CustomStringConvertible {
  public enum Place: Equatable, Sendable {
    /// Bytes before the fault, in text that is not JSON.
    case offset(Int)
    /// The member at fault, in JSON that does not fit the schema: `input.content[0].text`.
    case path(String)
  }

  /// The faults that programs tell apart; the message is for people.
  public enum Kind: Equatable, Sendable {
    /// The text is not JSON, or does not fit the schema.
    case malformed
    /// Values are nested deeper than allowed.
    case tooDeep
    /// An escape is half of a surrogate pair.
    case surrogate
  }

  public let kind: Kind
  public let place: Place
  public let message: String
  /// The path of a member that should not be there at all; `place` names what it stands in.
  public let member: String?

  public init(_ place: Place, _ message: String, member: String? = nil, kind: Kind = .malformed) {
    self.kind = kind
    self.place = place
    self.message = message
    self.member = member
  }

  /// Bytes before the fault; nil in JSON that does not fit the schema.
  public var offset: Int? {
    if case .offset(let offset) = place { offset } else { nil }
  }

  public var description: String {
    switch place {
    case .offset(let offset): "at byte \(offset): \(message)"
    case .path(let path): "\(path): \(message)"
    }
  }
}
