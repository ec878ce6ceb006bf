// The identity that a trusted proxy puts into a header: Envoy's x-forwarded-client-cert and Linkerd's l5d-client-id.

import HeddleTokens

/// The meaning of a text in which a proxy names the client of a connection or a call.
enum ForwardedIdentity: Equatable {
  /// The proxy does not know the client.
  case none
  case named(WorkloadIdentity)
  /// It cannot be an identity, or it stands there twice.
  case invalid
}

/// How identities that proxies name are read.
struct ForwardingRules: Equatable, Sendable {
  /// Trust domains of SPIFFE identities that count; empty: every one. Names of other kinds have none.
  var trustDomains: Set<String> = []

  /// A name as it stands in a header or a TLV.
  func identity(_ bytes: some Collection<UInt8>) -> ForwardedIdentity {
    guard !bytes.isEmpty else { return .none }
    guard let identity = WorkloadIdentity(bytes), identity.isOf(trustDomains) else { return .invalid }
    return .named(identity)
  }

  /// The values of both headers of a call: one value at most, since a proxy that sets its own removes the client's.
  func identity(xfcc: [String], l5dClientID: [String]) -> ForwardedIdentity {
    guard xfcc.count + l5dClientID.count <= 1 else { return .invalid }
    if let header = xfcc.first {
      guard let uris = LastElement(header)?.uris, uris.count <= 1 else { return .invalid }
      return identity((uris.first ?? "").utf8)
    }
    return identity((l5dClientID.first ?? "").utf8)
  }
}

/// The last element of an x-forwarded-client-cert header: the one that our own proxy appended.
///
/// An element is `Key=Value;Key=Value`, elements are parted by commas, and a value may be quoted. Whatever stands inside
/// quotes is text, so a Subject cannot pretend to be a URI (attacks.md T15).
package struct LastElement {
  package private(set) var uris: [String] = []
  private var key = ""
  private var value = ""
  private var isInValue = false
  private var isQuoted = false
  private var isEscaped = false

  /// Nil: the header cannot be read.
  package init?(_ header: String) {
    for character in header.unicodeScalars {
      guard take(character) else { return nil }
    }
    guard !isQuoted, !isEscaped else { return nil }
    pairEnded()
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    if isEscaped {
      isEscaped = false
      value.unicodeScalars.append(character)
      return true
    }
    switch (character, isQuoted) {
    case ("\\", true): isEscaped = true
    case ("\"", true): isQuoted = false
    case (_, true): value.unicodeScalars.append(character)
    case (";", false): pairEnded()
    case (",", false):
      pairEnded()
      uris = []
    case ("=", false) where !isInValue: isInValue = true
    case ("\"", false):
      guard isInValue, value.isEmpty else { return false }
      isQuoted = true
    case (" ", false) where !isInValue && key.isEmpty: break
    case (_, false):
      if isInValue { value.unicodeScalars.append(character) } else { key.unicodeScalars.append(character) }
    }
    return true
  }

  private mutating func pairEnded() {
    if key.lowercased() == "uri" { uris.append(value) }
    key = ""
    value = ""
    isInValue = false
  }
}
