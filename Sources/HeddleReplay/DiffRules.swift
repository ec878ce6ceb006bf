// Which differences count. A path names a field from its message on, list positions left out: `ThreadService/Read
// .thread.updated_at`, `event.turn_ended.usage`, `HELLO.server_time`.

import HeddleCore
import HeddleJSON
import HeddleProtocol

public struct DiffRules: Sendable {
  /// Paths that differ from run to run by their nature: clocks, names that are drawn, what else
  /// the server is doing.
  public static let byNature = [
    "*.at", "*_at", "*.server_time", "*.uptime_ms", "*.deadline", "*.retry_after_ms", "*.debug_id", "*cursor",
    "*nickname", "*.subscribed.head", "*.action_hash",
    "ServerService/Status.connections", "ServerService/Status.loaded_threads", "ServerService/Status.running_turns",
    "ServerService/Status.events_written", "ServerService/Status.groups_synced", "ServerService/Status.usage.*",
  ]

  /// `*` stands for any characters.
  public var ignored: [String]

  public init(ignored: [String] = []) { self.ignored = Self.byNature + ignored }

  func ignores(_ path: String) -> Bool { ignored.contains { Self.matches(Array(path.utf8), Array($0.utf8)) } }

  /// Whether a text is what a pattern says; linear but for the stars.
  static func matches(_ text: [UInt8], _ pattern: [UInt8]) -> Bool {
    var at = 0
    var wanted = 0
    var star: Int?
    var retry = 0
    while at < text.count {
      if wanted < pattern.count, pattern[wanted] == UInt8(ascii: "*") {
        star = wanted
        retry = at
        wanted += 1
      } else if wanted < pattern.count, pattern[wanted] == text[at] {
        at += 1
        wanted += 1
      } else if let star {
        retry += 1
        at = retry
        wanted = star + 1
      } else {
        return false
      }
    }
    return pattern[wanted...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

/// One thing that is not as it was.
public struct Difference: Equatable, Sendable, CustomStringConvertible {
  /// From 1.
  public var connection: Int
  public var stream: UInt32
  /// Without list positions: what rules name.
  public var path: String
  /// With them.
  public var place: String
  public var before: String
  public var after: String

  public var description: String {
    "connection \(connection) #\(stream) \(place): \(before) became \(after)"
  }

  public var json: JSONValue {
    .object([
      .init("connection", .number("\(connection)")), .init("stream", .number("\(stream)")),
      .init("path", .text(path)), .init("place", .text(place)), .init("before", .text(before)),
      .init("after", .text(after)),
    ])
  }
}

/// The result of a comparison.
public struct DiffResult: Sendable {
  public var differences: [Difference] = []
  public var answers = 0
  public var events = 0
  public var fields = 0
  public var ignored = 0
  public var ids = 0

  /// Paths that differ: noise, if both captures are of equal runs.
  public var paths: [String] { Array(Set(differences.map(\.path))).sorted() }

  public var json: JSONValue {
    .object([
      .init("differences", .list(differences.map(\.json))), .init("answers", .number("\(answers)")),
      .init("events", .number("\(events)")), .init("fields", .number("\(fields)")),
      .init("ignored", .number("\(ignored)")), .init("ids", .number("\(ids)")),
    ])
  }
}
