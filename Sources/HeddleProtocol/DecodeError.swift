// The faults that the bytes of a message can have. Each case has one row in attacks.md (P1 to P25).

/// The reason why bytes are not the message that they claim to be.
public enum DecodeError: Swift.Error, Equatable, Sendable {
  /// The bytes break the encoding itself, or a known field has another type (P1 to P5, P7, P8).
  case malformed
  /// Messages in messages beyond the limit (P18).
  case tooDeep
  /// A repeated field has more elements than allowed (P20).
  case tooManyElements(field: String)
  /// More unknown fields in one message than allowed (P17).
  case tooManyUnknown
  /// A text field does not hold UTF-8 (P9).
  case invalidUTF8(field: String)
  /// A text field holds a NUL (P10).
  case embeddedNUL(field: String)
  /// The decoded message would take too much memory (P19).
  case budget
  /// A value that the enum does not have, or a 0 that says nothing (P15).
  case unknownEnum(field: String, value: Int32)
  /// A required field is absent (P21).
  case missingField(String)
  /// An id that is not 16 bytes.
  case badID(field: String)

  /// A newer schema may explain it.
  var isOfANewerSchema: Bool {
    switch self {
    case .unknownEnum, .missingField, .badID: true
    default: false
    }
  }
}
