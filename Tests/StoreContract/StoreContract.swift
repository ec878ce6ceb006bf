// The rules that every store keeps, as a library: the tests of each kind of store run `StoreContract.rules` with a way to
// make one.
//
//   @Test("The store keeps its contract", arguments: StoreContract.rules)
//   func contract(_ rule: StoreRule) async throws { try await rule.check { try MyStoreUnderTest() } }

import HeddleCore
import HeddleStorage
import Testing

/// Makes an empty store.
public typealias MakeStore = @Sendable () throws -> any TestedStore

/// A sentence, and the test of it.
public struct StoreRule: Sendable, CustomTestStringConvertible {
  public let testDescription: String
  public let check: @Sendable (_ make: @escaping MakeStore) async throws -> Void

  init(_ sentence: String, _ check: @escaping @Sendable (_ make: @escaping MakeStore) async throws -> Void) {
    testDescription = sentence
    self.check = check
  }
}

/// All rules, in the order of Store.swift.
public enum StoreContract {
  public static let rules = PromiseRules.rules + SharedHistoryRules.rules + ListRules.rules + DamageRules.rules
}

/// A store of some kind, with what the tests need beside its contract. It goes away with all its data when it is let go.
public protocol TestedStore: AnyObject, Sendable {
  var store: any Store { get }
  /// Says what is wrong with what is stored; empty: nothing.
  func problems() throws -> [String]
  /// Changes rows behind the store's back.
  func damage(_ damage: RowDamage) throws
  /// How many rows of a table belong to the thread.
  func rowCount(_ table: String, of thread: ThreadID) throws -> Int
  /// The store as another process finds it that starts when this one is killed now.
  func afterKill() throws -> any TestedStore
  /// The store opened anew, after `close`.
  func reopened() throws -> any TestedStore
}

/// A change of stored rows that no store makes. Tables and columns are those of SQLiteSchema, whatever the database.
public struct RowDamage: Sendable {
  public enum Value: Sendable {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])
  }

  public enum Change: Sendable {
    case set(column: String, Value)
    case delete
  }

  public var table: String
  public var change: Change
  /// The rows are those of this thread …
  public var thread: ThreadID
  /// … and, if it is set, of this number: `seq` of events, `ordinal` of turns.
  public var number: UInt64?

  init(_ table: String, _ change: Change, of thread: ThreadID, number: UInt64? = nil) {
    self.table = table
    self.change = change
    self.thread = thread
    self.number = number
  }

  /// The column that names the thread.
  public var threadColumn: String { table == "threads" ? "id" : "thread" }
  /// The column of `number`.
  public var numberColumn: String { table == "events" ? "seq" : "ordinal" }
}
