// The name of a caller that a certificate, a proxy's header or a PROXY header gives, and the file that says whose it is.
//
//   # identity                                        tenant   role
//   spiffe://example.org/ns/shop/sa/cart              shop
//   spiffe://example.org/ns/ops/*                     ops      admin

/// An identity as a workload shows it: visible ASCII of at most 2,048 bytes; one of SPIFFE has a trust domain and a path
/// without empty, `.` or `..` parts.
package struct WorkloadIdentity: Equatable, Hashable, Sendable {
  package let text: String
  /// Of an identity of SPIFFE.
  package let trustDomain: String?

  static let maximumBytes = 2_048

  /// Nil: no server gives such a name.
  package init?(_ bytes: some Collection<UInt8>) {
    guard (1...Self.maximumBytes).contains(bytes.count), bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      return nil
    }
    text = String(decoding: bytes, as: UTF8.self)
    trustDomain = Self.trustDomain(of: text)
    if text.lowercased().hasPrefix("spiffe:"), trustDomain == nil { return nil }
  }

  /// Whether it is of one of these trust domains; no domains: of any. Names of other kinds are of every domain.
  package func isOf(_ trustDomains: Set<String>) -> Bool {
    guard let trustDomain, !trustDomains.isEmpty else { return true }
    return trustDomains.contains(trustDomain)
  }

  /// The trust domain of a well-formed SPIFFE id (SPIFFE-ID.md sections 2.1 to 2.4).
  static func trustDomain(of text: String) -> String? {
    let scheme = "spiffe://"
    guard text.hasPrefix(scheme) else { return nil }
    let parts = text.dropFirst(scheme.count).split(separator: "/", omittingEmptySubsequences: false)
    guard let domain = parts.first, (1...255).contains(domain.utf8.count), domain.utf8.allSatisfy(Self.isOfDomain)
    else {
      return nil
    }
    guard domain != ".", domain != ".." else { return nil }
    let isPath = parts.dropFirst().allSatisfy { part in
      !part.isEmpty && part != "." && part != ".." && part.utf8.allSatisfy(Self.isOfPath)
    }
    return isPath ? String(domain) : nil
  }

  private static func isOfDomain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
    default: false
    }
  }

  private static func isOfPath(_ byte: UInt8) -> Bool {
    isOfDomain(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}

/// The file of identities: whose each one is.
package struct IdentityTable: Sendable {
  private var exact: [String: Principal] = [:]
  /// Prefixes without their `*`, the longest first.
  private var prefixes: [(text: String, principal: Principal)] = []

  package init(file: String) throws(CredentialFileError) {
    try self.init(text: try CredentialFile.read(file, .publicKey, what: "identities file"))
  }

  package init(text: String) throws(CredentialFileError) {
    for (number, words) in CredentialFile.lines(text) {
      guard words.count == 2 || (words.count == 3 && words[2] == "admin") else {
        throw CredentialFileError(
          description: "line \(number) of the identities file is not `IDENTITY TENANT [admin]`")
      }
      guard Principal.isTenant(words[1]) else {
        throw CredentialFileError(
          description: "the tenant on line \(number) of the identities file is not visible ASCII of at most 256 bytes")
      }
      let isPrefix = words[0].hasSuffix("/*")
      let name = isPrefix ? String(words[0].dropLast()) : words[0]
      guard !name.contains("*"), WorkloadIdentity((isPrefix ? String(name.dropLast()) : name).utf8) != nil else {
        throw CredentialFileError(
          description: "the identity on line \(number) of the identities file is no name of a workload; `*` may only "
            + "stand at its end, after a `/`")
      }
      let principal = Principal(tenant: words[1], isAdmin: words.count == 3)
      guard isPrefix ? !prefixes.contains(where: { $0.text == name }) : exact[name] == nil else {
        throw CredentialFileError(
          description: "the identity on line \(number) of the identities file stands there twice; remove one line")
      }
      if isPrefix { prefixes.append((name, principal)) } else { exact[name] = principal }
    }
    guard !exact.isEmpty || !prefixes.isEmpty else {
      throw CredentialFileError(description: "the identities file names no identity")
    }
    prefixes.sort { $0.text.utf8.count > $1.text.utf8.count }
  }

  /// The exact name wins over prefixes, a longer prefix over a shorter one.
  package func principal(of identity: WorkloadIdentity?, via witness: Principal.Witness) -> Principal? {
    guard let identity else { return nil }
    let owner = exact[identity.text] ?? prefixes.first { identity.text.utf8.starts(with: $0.text.utf8) }?.principal
    guard var owner else { return nil }
    owner.name = identity.text
    owner.via = witness
    return owner
  }
}
