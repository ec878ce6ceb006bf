// Limits by name: the fields of `Limits`, where each has its reason.

import Configuration
import HeddleCore

enum LimitSettings {
  static var names: [String] {
    integers.map(\.0) + times.map(\.0) + words.map(\.0) + [compactionPercent]
  }

  /// The one limit that is a share.
  private static let compactionPercent = "compactionPercent"

  static func read(_ reader: ConfigReader, into limits: inout Limits) throws {
    for (name, path) in integers { limits[keyPath: path] = try positive(reader, name, limits[keyPath: path]) }
    for (name, path) in times {
      let value = try positive(reader, name, Int(limits[keyPath: path]))
      limits[keyPath: path] = min(Int64(value), longestMilliseconds)
    }
    limits.compactionPercent = UInt64(try positive(reader, compactionPercent, Int(limits.compactionPercent)))
    guard limits.compactionPercent <= 100 else {
      throw SettingError(description: "limits.compactionPercent: 0 to 100")
    }
    for (name, path) in words {
      limits[keyPath: path] = UInt32(clamping: try positive(reader, name, Int(limits[keyPath: path])))
    }
  }

  /// A hundred years: for ever, and small enough to be added to any time and to be counted in nanoseconds.
  private static let longestMilliseconds: Int64 = 100 * 365 * 86_400_000

  private static func positive(_ reader: ConfigReader, _ name: String, _ value: Int) throws -> Int {
    let value = try reader.number(name, value)
    guard value >= 0 else { throw SettingError(description: "limits.\(name): not a negative number") }
    if name == "outgoingBytes", value < 64 * 1024 {
      throw SettingError(description: "limits.outgoingBytes: at least 65536")
    }
    if name == "agentsRunningV2", value < 1 {
      throw SettingError(description: "limits.agentsRunningV2: at least 1, since the root counts")
    }
    return value
  }

  private static let integers: [(String, any WritableKeyPath<Limits, Int> & Sendable)] = [
    ("connections", \.connections), ("connectionsPerTenant", \.connectionsPerTenant),
    ("bufferedBytes", \.bufferedBytes), ("ephemeralBytes", \.ephemeralBytes),
    ("ephemeralBytesPerTenant", \.ephemeralBytesPerTenant),
    ("outgoingBytes", \.outgoingBytes), ("requestsPerSecond", \.requestsPerSecond), ("requestBurst", \.requestBurst),
    ("runningTurnsPerTenant", \.runningTurnsPerTenant), ("turnInputBytes", \.turnInputBytes),
    ("queuedTurns", \.queuedTurns), ("samplingSteps", \.samplingSteps), ("modelItemBytes", \.modelItemBytes),
    ("checkpointBytes", \.checkpointBytes), ("subscriptionsPerTenant", \.subscriptionsPerTenant),
    ("toolCalls", \.toolCalls), ("toolOutputBytes", \.toolOutputBytes), ("keptInputBytes", \.keptInputBytes),
    ("agentsOpenV1", \.agentsOpenV1), ("agentsRunningV2", \.agentsRunningV2), ("agentsPerTree", \.agentsPerTree),
    ("mailBytes", \.mailBytes), ("mailboxMessages", \.mailboxMessages), ("mailboxBytes", \.mailboxBytes),
    ("loadedThreads", \.loadedThreads), ("contextBytes", \.contextBytes),
    ("waitingWriteBytes", \.waitingWriteBytes),
  ]

  private static let times: [(String, any WritableKeyPath<Limits, Int64> & Sendable)] = [
    ("helloMilliseconds", \.helloMilliseconds), ("frameMilliseconds", \.frameMilliseconds),
    ("idleMilliseconds", \.idleMilliseconds), ("pingAfterMilliseconds", \.pingAfterMilliseconds),
    ("slowConsumerMilliseconds", \.slowConsumerMilliseconds), ("checkpointMilliseconds", \.checkpointMilliseconds),
    ("modelIdleMilliseconds", \.modelIdleMilliseconds),
    ("modelContentMilliseconds", \.modelContentMilliseconds), ("turnMilliseconds", \.turnMilliseconds),
    ("unloadMilliseconds", \.unloadMilliseconds),
    ("drainMilliseconds", \.drainMilliseconds), ("progressMilliseconds", \.progressMilliseconds),
    ("clientToolMilliseconds", \.clientToolMilliseconds), ("userInputMilliseconds", \.userInputMilliseconds),
    ("agentWaitMilliseconds", \.agentWaitMilliseconds),
    ("agentWaitMinimumMilliseconds", \.agentWaitMinimumMilliseconds),
    ("agentWaitMaximumMilliseconds", \.agentWaitMaximumMilliseconds),
  ]

  private static let words: [(String, any WritableKeyPath<Limits, UInt32> & Sendable)] = [
    ("frameBytes", \.frameBytes), ("requestsInFlight", \.requestsInFlight), ("subscriptions", \.subscriptions),
    ("glitches", \.glitches), ("ignoredRefusals", \.ignoredRefusals), ("agentDepthV1", \.agentDepthV1),
    ("agentDepthV2", \.agentDepthV2),
  ]
}
