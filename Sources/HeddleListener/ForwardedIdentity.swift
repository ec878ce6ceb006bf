// The identity that a trusted proxy puts into a header: Envoy's x-forwarded-client-cert and Linkerd's l5d-client-id.

/// The value of such a header.
package enum ForwardedIdentity {
  /// The URI of the last element of x-forwarded-client-cert: the one that our own proxy appended. Nil: there is none, or
  /// more than one, or the header cannot be read.
  ///
  /// An element is `Key=Value;Key=Value`, elements are parted by commas, and a value may be quoted; whatever stands inside
  /// quotes is text, so a Subject cannot pretend to be a URI (attacks.md T15).
  package static func lastURI(inXFCC header: String) -> String? {
    var uris: [String] = []
    var key = ""
    var value = ""
    var isInValue = false
    var isQuoted = false
    var isEscaped = false
    func pairEnded() {
      if key.lowercased() == "uri" { uris.append(value) }
      key = ""
      value = ""
      isInValue = false
    }
    for character in header.unicodeScalars {
      if isEscaped {
        value.unicodeScalars.append(character)
        isEscaped = false
      } else if isQuoted {
        if character == "\\" {
          isEscaped = true
        } else if character == "\"" {
          isQuoted = false
        } else {
          value.unicodeScalars.append(character)
        }
      } else {
        switch character {
        case ";": pairEnded()
        case ",":
          pairEnded()
          uris = []
        case "=" where !isInValue: isInValue = true
        case "\"":
          guard isInValue, value.isEmpty else { return nil }
          isQuoted = true
        case " " where !isInValue && key.isEmpty: break
        default: if isInValue { value.unicodeScalars.append(character) } else { key.unicodeScalars.append(character) }
        }
      }
    }
    guard !isQuoted, !isEscaped else { return nil }
    pairEnded()
    return uris.count == 1 ? uris[0] : nil
  }
}
