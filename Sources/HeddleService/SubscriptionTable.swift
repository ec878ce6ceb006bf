// The subscriptions of one caller as values: which streams follow which threads, and how far each has got. Subscriptions.swift
// reads, asks the shard and writes.

import HeddleCore

/// One thread of a subscription. A class, because a feed changes with every event, and because reads and answers of the
/// shard belong to this one and to no later one of the same thread. Confined to its caller's loop, which is the proof for
/// `@unchecked Sendable`.
final class FollowedThread: @unchecked Sendable {
  let thread: ThreadID
  /// The agent that messages are marked with; nil: the thread that the stream follows.
  let agent: ThreadID?
  var feed: Feed
  /// The first message about an agent, until it has been sent.
  var beginning: Subscribed?

  init(_ thread: ThreadID, agent: ThreadID? = nil, _ feed: Feed) {
    self.thread = thread
    self.agent = agent
    self.feed = feed
  }
}

/// One subscription. A class, because it changes with every event. Confined to its caller.
final class Subscription {
  /// The thread that it follows; nil: the lifecycle of all threads.
  let main: FollowedThread?
  /// The agents below it that are loaded (rules.md A12).
  var agents: [ThreadID: FollowedThread] = [:]
  var isTree = false
  var wantsEvents = true
  var wantsDeltas = true
  var wantsStatus = true
  /// Bytes that may still go out; nil: no bound.
  var credit: Int?
  var lastSentAt: Int64

  init(main: FollowedThread?, lastSentAt: Int64) {
    self.main = main
    self.lastSentAt = lastSentAt
  }

  var thread: ThreadID? { main?.thread }
  var cursor: UInt64 { main?.feed.cursor ?? 0 }
  var isFull: Bool { credit.map { $0 <= 0 } ?? false }

  func followed(_ thread: ThreadID) -> FollowedThread? { main?.thread == thread ? main : agents[thread] }

  func spend(_ bytes: Int, at now: Int64) {
    credit = credit.map { $0 - bytes }
    lastSentAt = now
  }
}

/// The subscriptions of a caller, by stream and by thread.
package struct SubscriptionTable {
  private var byStream: [UInt32: Subscription] = [:]
  private var streams: [ThreadID: UInt32] = [:]
  /// The stream that follows the lifecycle of all threads.
  var lifecycleStream: UInt32?

  var count: Int { byStream.count }
  var all: [UInt32: Subscription] { byStream }

  subscript(stream: UInt32) -> Subscription? { byStream[stream] }

  /// The stream whose subscription is about this thread, or about the tree below it.
  package func stream(following thread: ThreadID) -> UInt32? { streams[thread] }

  /// Whether events of the thread come on any stream.
  func covers(_ thread: ThreadID) -> Bool {
    streams[thread] != nil || byStream.values.contains { $0.agents[thread] != nil }
  }

  mutating func add(_ subscription: Subscription, _ stream: UInt32) {
    byStream[stream] = subscription
    if let thread = subscription.thread { streams[thread] = stream } else { lifecycleStream = stream }
  }

  mutating func remove(_ stream: UInt32) -> Subscription? {
    guard let subscription = byStream.removeValue(forKey: stream) else { return nil }
    if let thread = subscription.thread { streams[thread] = nil } else { lifecycleStream = nil }
    return subscription
  }
}
