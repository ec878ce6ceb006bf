// Load without a recording: what the connections of a mix ask for, over and over.

import HeddleCore
import HeddleProtocol
import NIOCore

public enum LoadMix: String, CaseIterable, Sendable {
  /// Changes of settings, each connection on a thread of its own.
  case settings
  /// New threads.
  case start
  /// Turns, each on a thread that runs no other; the next one begins when the last has ended.
  case turns
  /// One connection changes a thread's settings, all others follow it.
  case fanout
  /// First pages of the list of threads.
  case list
  /// Searches.
  case search
  /// Asks for the status: what the protocol alone costs.
  case status
}

public struct LoadOptions: Sendable {
  public var host = "127.0.0.1"
  public var port = 7420
  public var encryption: Encryption?
  public var token: String?
  public var mix = LoadMix.settings
  public var connections = 10
  /// Requests that a connection has in flight, without a schedule.
  public var depth = 16
  public var schedule: RateSchedule?
  public var seconds: Double = 10
  public var loops = System.coreCount
  /// Threads are kept in memory only.
  public var isEphemeral = false
  /// The input of a turn.
  public var input = "!say Done."
  /// Of the followers: how many read 2 KiB every 50 ms.
  public var slowReaders = 0
  /// Percent of the followers that are cut off each second.
  public var dropPercent: Double = 0
  /// They go on after the last event that they saw; otherwise with what happens next.
  public var resumes = false
  /// Threads that it starts are noted in the result, so that they can be removed.
  public var notesThreads = false

  public init() {}
}

/// Frames of a mix, encoded once: only their stream differs from one to the next.
struct LoadFrames: ~Copyable {
  private var codec = Codec()

  mutating func hello(_ token: String?) -> [UInt8] {
    let hello = ClientHello(
      versions: [1], clientName: "heddle load", clientVersion: "1", token: token ?? "",
      unwantedNotifications: ["thread_started"])
    return frame(.hello, .unspecified, codec.encode(hello))
  }

  mutating func start(_ options: LoadOptions, subscribe: Bool) -> [UInt8] {
    frame(
      .request, .threadStart, codec.encode(StartThreadRequest(ephemeral: options.isEphemeral, subscribe: subscribe)))
  }

  mutating func subscribe(_ thread: ThreadID, after: UInt64?) -> [UInt8] {
    frame(.request, .threadSubscribe, codec.encode(SubscribeRequest(thread: thread, after: after)))
  }

  /// Requests that are sent one after the other, over and over.
  mutating func work(_ options: LoadOptions, _ thread: ThreadID) -> [[UInt8]] {
    switch options.mix {
    case .settings, .fanout:
      // Two values in turns: equal ones would change nothing and cost nothing.
      return ["first", "second"].map { tier in
        frame(
          .request, .settingsUpdate,
          codec.encode(UpdateSettingsRequest(thread: thread, change: SettingsChange(serviceTier: tier))))
      }
    case .start: return [start(options, subscribe: false)]
    case .turns:
      let input = TurnInput(content: [ContentPart(part: .text(options.input))])
      return [frame(.request, .turnStart, codec.encode(StartTurnRequest(thread: thread, input: input)))]
    case .list: return [frame(.request, .threadList, codec.encode(ListThreadsRequest()))]
    case .search: return [frame(.request, .threadSearch, codec.encode(SearchThreadsRequest(text: "needle")))]
    case .status: return [frame(.request, .serverStatus, [])]
    }
  }

  private func frame(_ kind: FrameKind, _ method: Method, _ body: [UInt8]) -> [UInt8] {
    var out = [UInt8]()
    FrameHeader(kind, method: UInt16(clamping: method.rawValue), length: UInt32(clamping: body.count)).append(to: &out)
    return out + body
  }
}

extension [UInt8] {
  /// Names the stream of a frame.
  mutating func setStream(_ stream: UInt32) {
    guard count >= FrameHeader.byteCount else { return }
    for shift in 0..<4 { self[4 + shift] = UInt8(truncatingIfNeeded: stream >> UInt32(24 - 8 * shift)) }
  }
}
