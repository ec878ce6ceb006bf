// The subscriptions of one caller as values: the thread of each stream, and the position of its feed. Subscriptions.swift
// reads, asks the shard and writes.

import HeddleCore
import HeddleRuntime
import NIOCore

/// One thread of a subscription. A class, because a feed changes with every event. Confined to its caller.
final class FollowedThread {
  /// Reads and answers of the shard name it: they belong to this feed and to no later one of the same thread.
  let name: FeedName
  /// The agent that messages are marked with; nil: the thread that the stream follows.
  let agent: ThreadID?
  var feed: Feed
  /// The first message about an agent, until it has been sent.
  var beginning: Subscribed?

  init(_ name: FeedName, agent: ThreadID? = nil, _ feed: Feed) {
    self.name = name
    self.agent = agent
    self.feed = feed
  }

  var thread: ThreadID { name.thread }
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
  /// The calls of the server that came on it as events; nil: it answers none.
  var calls: AnnouncedCalls?
  var lastSentAt: Int64
  /// Ends it; nil for most.
  var deadline: Scheduled<Void>?

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
  /// The first stream of each thread; those behind it are in `laterStreams`, which is empty for most callers.
  private var streams: [ThreadID: UInt32] = [:]
  private var laterStreams: [ThreadID: [UInt32]] = [:]
  /// The streams that follow the lifecycle of all threads.
  private(set) var lifecycleStreams: [UInt32] = []
  private var feeds: UInt64 = 0

  var count: Int { byStream.count }
  var all: [UInt32: Subscription] { byStream }

  subscript(stream: UInt32) -> Subscription? { byStream[stream] }

  /// The stream whose subscription is about this thread, or about the tree below it.
  package func stream(following thread: ThreadID) -> UInt32? { streams[thread] }

  /// Whether events of the thread come on any stream.
  func covers(_ thread: ThreadID) -> Bool {
    streams[thread] != nil || byStream.values.contains { $0.agents[thread] != nil }
  }

  /// The first stream that follows the lifecycle of all threads.
  var lifecycleStream: UInt32? { lifecycleStreams.first }

  /// The feed of this number, while it is part of the subscription on this stream.
  func feed(_ name: FeedName, _ stream: UInt32) -> FollowedThread? {
    guard let followed = byStream[stream]?.followed(name.thread), followed.name.number == name.number else {
      return nil
    }
    return followed
  }

  /// The name of a new feed.
  mutating func name(_ thread: ThreadID) -> FeedName {
    feeds += 1
    return FeedName(thread, feeds)
  }

  mutating func add(_ subscription: Subscription, _ stream: UInt32) {
    byStream[stream] = subscription
    guard let thread = subscription.thread else { return lifecycleStreams.append(stream) }
    if streams[thread] == nil { streams[thread] = stream } else { laterStreams[thread, default: []].append(stream) }
  }

  mutating func remove(_ stream: UInt32) -> Subscription? {
    guard let subscription = byStream.removeValue(forKey: stream) else { return nil }
    guard let thread = subscription.thread else {
      lifecycleStreams.removeAll { $0 == stream }
      return subscription
    }
    var later = laterStreams[thread] ?? []
    if streams[thread] == stream {
      streams[thread] = later.isEmpty ? nil : later.removeFirst()
    } else {
      later.removeAll { $0 == stream }
    }
    laterStreams[thread] = later.isEmpty ? nil : later
    return subscription
  }
}
