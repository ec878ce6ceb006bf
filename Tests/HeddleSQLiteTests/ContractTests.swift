// SQLite's store keeps the contract that all stores keep.

import HeddleCore
import HeddleStorage
import HeddleStoreContract
import Testing

@testable import HeddleSQLite

@Suite struct ContractTests {
  @Test("The store keeps its contract", arguments: StoreContract.rules)
  func contract(_ rule: StoreRule) async throws {
    try await rule.check { try SQLiteUnderTest(TemporaryFolder()) }
  }
}

/// SQLite's store in a folder that goes away with it.
final class SQLiteUnderTest: TestedStore {
  private let folder: TemporaryFolder
  private let sqlite: SQLiteStore
  var store: any Store { sqlite }

  init(_ folder: TemporaryFolder) throws {
    self.folder = folder
    sqlite = try SQLiteStore(folder: folder.path)
  }

  func problems() throws -> [String] { try sqlite.check() }

  func afterKill() throws -> any TestedStore { try SQLiteUnderTest(folder.copy()) }

  func reopened() throws -> any TestedStore { try SQLiteUnderTest(folder) }

  func rowCount(_ table: String, of thread: ThreadID) throws -> Int {
    let connection = try folder.connection()
    let select = try connection.statement("SELECT count(*) FROM \(table) WHERE thread = ?1")
    select.bind(thread, at: 1)
    return try select.step() ? Int(select.integer(0)) : -1
  }

  func damage(_ damage: RowDamage) throws {
    let change =
      switch damage.change {
      case .set(let column, let value): "UPDATE \(damage.table) SET \(column) = \(Self.literal(value))"
      case .delete: "DELETE FROM \(damage.table)"
      }
    let number = damage.number.map { " AND \(damage.numberColumn) = \($0)" } ?? ""
    let thread = Self.literal(.bytes(damage.thread.bytes))
    try folder.connection().execute("\(change) WHERE \(damage.threadColumn) = \(thread)\(number)")
  }

  private static func literal(_ value: RowDamage.Value) -> String {
    switch value {
    case .null: "NULL"
    case .number(let number): "\(number)"
    case .text(let text): "'\(text)'"
    case .bytes(let bytes): "x'\(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined())'"
    }
  }
}
