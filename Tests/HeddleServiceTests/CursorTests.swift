import Foundation
import HeddleCore
import Testing

@testable import HeddleService

@Suite struct CursorTests {
  private let signer = CursorSigner(key: Array(repeating: 3, count: 32))
  private let place: [UInt8] = Array(0..<24)

  private func read(_ cursor: String, tenant: String = "a", method: Method = .threadList, query: [UInt8] = [1]) throws
    -> [UInt8]?
  {
    try signer.position(cursor, bytes: 24, tenant: tenant, method: method, query: query)
  }

  @Test("T8, attacks.md M17: a cursor reads back for its tenant, method and query, and for nothing else")
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

  @Test("attacks.md M17: every changed character is noticed")
  func changed() throws {
    let cursor = signer.sign(place, tenant: "a", method: .threadList, query: [1])
    for index in cursor.indices.dropLast() {
      let other: Character = cursor[index] == "A" ? "B" : "A"
      let forged = cursor.replacingCharacters(in: index...index, with: String(other))
      #expect(throws: Refusal(.badCursor)) { try read(forged) }
    }
  }

  @Test("attacks.md M17: another server's key does not read it")
  func keys() throws {
    let cursor = CursorSigner(key: Array(repeating: 4, count: 32))
      .sign(place, tenant: "a", method: .threadList, query: [1])
    #expect(throws: Refusal(.badCursor)) { try read(cursor) }
  }
}
