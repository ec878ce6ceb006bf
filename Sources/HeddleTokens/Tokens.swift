// Static bearer tokens from a file.
//
//   # token (32 bytes at least)          tenant    role
//   3f0c…                                acme
//   9d11…                                ops       admin

import Crypto
import Foundation

/// The tokens of a server, as digests: the file's text is not kept.
struct Tokens: Sendable {
  private var digests: [(digest: [UInt8], principal: Principal)] = []

  /// Reads a token file; refuses one that others can read, and tokens that can be guessed (attacks.md A17).
  init(file: String) throws(CredentialFileError) {
    try self.init(text: try CredentialFile.read(file, .secret, what: "token file"))
  }

  init(text: String) throws(CredentialFileError) {
    for (number, words) in CredentialFile.lines(text) {
      guard words.count == 2 || (words.count == 3 && words[2] == "admin") else {
        throw CredentialFileError(description: "line \(number) of the token file is not `TOKEN TENANT [admin]`")
      }
      guard words[0].utf8.count >= 32 else {
        throw CredentialFileError(
          description: "the token on line \(number) is shorter than 32 bytes; make a longer one")
      }
      guard Self.isTenant(words[1]) else {
        throw CredentialFileError(
          description: "the tenant on line \(number) of the token file is not made of A-Z a-z 0-9 - _ . alone, 256 at "
            + "most; give it such a name")
      }
      let principal = Principal(tenant: words[1], isAdmin: words.count == 3)
      digests.append((Array(SHA256.hash(data: Data(words[0].utf8))), principal))
    }
    guard !digests.isEmpty else { throw CredentialFileError(description: "the token file holds no token") }
  }

  /// Two names that Swift takes for one text, or that look like one, cannot be two tenants.
  private static func isTenant(_ name: String) -> Bool {
    (1...256).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
        default: false
        }
      }
  }

  /// The owner of the token with this digest; every entry is compared in full, so the time says nothing (attacks.md
  /// A2).
  func principal(digest: [UInt8]) -> Principal? {
    var found: Principal?
    for entry in digests {
      var difference: UInt8 = 0
      for (a, b) in zip(entry.digest, digest) { difference |= a ^ b }
      if difference == 0 { found = entry.principal }
    }
    return found
  }
}
