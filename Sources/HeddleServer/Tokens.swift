// Who may speak: static bearer tokens from a file. Without a file everybody on loopback is one tenant.
//
//   # token (32 bytes at least)          tenant    role
//   3f0c…                                acme
//   9d11…                                ops       admin

import Crypto
import Foundation
import HeddleCore

/// Whom a token belongs to.
public struct Principal: Equatable, Sendable {
  public var tenant: String
  /// May call methods for operators.
  public var isAdmin: Bool
}

/// Why a token file cannot be used; the text says what to do.
public struct TokenFileError: Error, CustomStringConvertible {
  public let description: String
}

/// The tokens of a server, as digests: the file's text is not kept.
public struct Tokens: Sendable {
  private var digests: [(digest: [UInt8], principal: Principal)] = []

  /// Reads a token file; refuses one that others can read, and tokens that can be guessed (attacks.md A17).
  public init(file: String) throws(TokenFileError) {
    var info = stat()
    guard stat(file, &info) == 0 else { throw TokenFileError(description: "cannot read the token file \(file)") }
    guard info.st_mode & 0o077 == 0 else {
      throw TokenFileError(description: "the token file \(file) can be read by others; run: chmod 600 \(file)")
    }
    guard let text = try? String(contentsOfFile: file, encoding: .utf8) else {
      throw TokenFileError(description: "the token file \(file) cannot be read as UTF-8 text")
    }
    try self.init(text: text)
  }

  init(text: String) throws(TokenFileError) {
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let token = words.first, !token.hasPrefix("#") else { continue }
      guard words.count == 2 || (words.count == 3 && words[2] == "admin") else {
        throw TokenFileError(description: "line \(number + 1) of the token file is not `TOKEN TENANT [admin]`")
      }
      guard token.utf8.count >= 32 else {
        throw TokenFileError(description: "the token on line \(number + 1) is shorter than 32 bytes; make a longer one")
      }
      let principal = Principal(tenant: words[1], isAdmin: words.count == 3)
      digests.append((Array(SHA256.hash(data: Data(token.utf8))), principal))
    }
    guard !digests.isEmpty else { throw TokenFileError(description: "the token file holds no token") }
  }

  /// Whose token this is; every entry is compared in full, so the time says nothing (attacks.md A2).
  func principal(of token: String) -> Principal? {
    let digest = Array(SHA256.hash(data: Data(token.utf8)))
    var found: Principal?
    for entry in digests {
      var difference: UInt8 = 0
      for (a, b) in zip(entry.digest, digest) { difference |= a ^ b }
      if difference == 0 { found = entry.principal }
    }
    return found
  }
}
