import Crypto
import Foundation
import Testing

@testable import HeddleTokens

@Suite struct TokenTests {
  private let token = String(repeating: "t", count: 32)

  @Test("A token names its tenant and role; any other names nobody (attacks.md A2)")
  func known() throws {
    let tokens = try Tokens(text: "# comment\n\n\(token) acme\n\(token)x ops admin\n")
    func principal(_ token: String) -> Principal? {
      tokens.principal(digest: Array(SHA256.hash(data: Data(token.utf8))))
    }
    #expect(principal(token) == Principal(tenant: "acme", isAdmin: false))
    #expect(principal(token + "x") == Principal(tenant: "ops", isAdmin: true))
    #expect(principal(token + "y") == nil)
    #expect(principal("") == nil)
  }

  @Test(
    "A short token, a line without a tenant and an empty file are refused (attacks.md A17)",
    arguments: [
      "short acme", "tttttttttttttttttttttttttttttttt", "tttttttttttttttttttttttttttttttt acme root", "# nothing", "",
    ])
  func refused(_ text: String) {
    #expect(throws: CredentialFileError.self) { try Tokens(text: text) }
  }

  @Test(
    "A tenant's name is letters, digits, - _ . of ASCII: what compares equal cannot have two spellings",
    arguments: [
      "caf\u{e9}", "cafe\u{301}", "a/b", "a:b", "\u{430}cme", "a\u{200b}", String(repeating: "a", count: 257),
    ])
  func tenantNames(_ name: String) throws {
    #expect { try Tokens(text: "\(token) fine\n\(token)x \(name)\n") } throws: {
      "\($0)".contains("the tenant on line 2 of the token file")
    }
    #expect(throws: Never.self) { try Tokens(text: "\(token) Acme-1_x.eu\n") }
  }
}
