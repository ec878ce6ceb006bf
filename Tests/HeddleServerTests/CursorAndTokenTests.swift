import Crypto
import Foundation
import HeddleCore
import Testing

@testable import HeddleServer

@Suite struct CursorTests {
  private let signer = CursorSigner(key: Array(repeating: 3, count: 32))
  private let place: [UInt8] = Array(0..<24)

  private func read(_ cursor: String, tenant: String = "a", method: Method = .threadList, query: [UInt8] = [1]) throws
    -> [UInt8]?
  {
    try signer.position(cursor, bytes: 24, tenant: tenant, method: method, query: query)
  }

  @Test("T8, M17: a cursor reads back for its tenant, method and query, and for nothing else")
  func bound() throws {
    let cursor = signer.sign(place, tenant: "a", method: .threadList, query: [1])
    #expect(try read(cursor) == place)
    #expect(try read("") == nil)
    for attempt in [
      { try read(cursor, tenant: "b") }, { try read(cursor, method: .threadListTurns) },
      { try read(cursor, query: [2]) }, { try read(String(cursor.dropLast())) }, { try read("not a cursor") },
      { try read(String(repeating: "A", count: 10_000)) },
    ] {
      #expect(throws: Refusal(.badCursor)) { try attempt() }
    }
  }

  @Test("M17: every changed character is noticed")
  func changed() throws {
    let cursor = signer.sign(place, tenant: "a", method: .threadList, query: [1])
    for index in cursor.indices.dropLast() {
      let other: Character = cursor[index] == "A" ? "B" : "A"
      let forged = cursor.replacingCharacters(in: index...index, with: String(other))
      #expect(throws: Refusal(.badCursor)) { try read(forged) }
    }
  }

  @Test("M17: another server's key does not read it")
  func keys() throws {
    let cursor = CursorSigner(key: Array(repeating: 4, count: 32))
      .sign(place, tenant: "a", method: .threadList, query: [1])
    #expect(throws: Refusal(.badCursor)) { try read(cursor) }
  }
}

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
