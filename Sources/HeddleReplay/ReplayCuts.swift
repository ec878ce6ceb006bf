// Faults of clients while a recording is replayed: connections that are cut and come again, and slow readers.
//
// A connection is cut when nothing of it is on its way: no request without an answer, no call of the server's without one.
// It greets again and subscribes again, each subscription on the stream that it had, so the recording goes on as if nothing
// had happened; what that takes is neither recorded nor waited for.

import HeddleCapture
import HeddleCore
import HeddleProtocol
import NIOCore

/// What the clients of a replay do wrong on purpose.
public struct ReplayFaults: Sendable {
  /// Percent of the connections that are cut off each second and come again.
  public var dropPercent: Double = 0
  /// They ask for what follows the last event that they saw; otherwise for what happens next.
  public var resumes = false
  /// The first so many copies read 2 KiB every 50 ms.
  public var slowReaders = 0

  public init() {}
}

/// What one connection has to say when it comes again.
struct Cut {
  /// It is to be cut as soon as nothing is on its way.
  var isDrawn = false
  /// Streams whose first answer is awaited, once greeted.
  var awaited: Set<UInt32> = []
  /// It has been cut, and has not been greeted again.
  var isGreeting = false
  var answeredCalls = 0

  private var hello: [UInt8] = []
  /// By stream: subscriptions that were asked for, and those that are open.
  private var asked: [UInt32: SubscribeRequest] = [:]
  /// Subscriptions that the client has asked to end.
  private(set) var ending: Set<UInt32> = []
  private(set) var subscriptions: [UInt32: SubscribeRequest] = [:]

  var isReturning: Bool { isGreeting || !awaited.isEmpty }
  var greeting: [UInt8] { hello }

  /// A frame of the recording has left.
  mutating func sent(_ step: ReplayStep, _ bytes: [UInt8]) {
    let stream = step.header.stream
    if step.header.knownKind == .hello { hello = bytes }
    if step.header.knownKind == .cancel, subscriptions[stream] != nil { ending.insert(stream) }
    guard step.isRequest, FrameMessages.method(step.header) == .threadSubscribe else { return }
    let body = bytes.dropFirst(FrameHeader.byteCount + Int(step.header.metadataLength))
    var codec = Codec()
    do throws(DecodeError) { asked[stream] = try codec.decode(SubscribeRequest.self, Array(body)) } catch {
      asked[stream] = nil
    }
  }

  /// Events follow on this stream.
  mutating func opened(_ stream: UInt32, _ method: UInt16, _ answer: UnsafeRawBufferPointer) {
    if var request = asked.removeValue(forKey: stream) {
      // Its credit has been spent and given since; without a bound it cannot come to a stop.
      request.credit = nil
      request.after = request.after ?? Self.head(answer)
      subscriptions[stream] = request
    } else if let method = Method(rawValue: Int32(method)) {
      // Start, Resume and Fork: the thread is the first one that the answer names.
      var thread: ThreadID?
      IDScan.ids(answer, schema: method.responseSchema) { found in
        if thread == nil, found.kind == IDScan.threadKind { thread = ThreadID(high: found.id.high, low: found.id.low) }
      }
      if let thread {
        subscriptions[stream] = SubscribeRequest(thread: thread, after: Self.head(answer, of: method))
      }
    }
  }

  /// Behind which event a subscription began that did not say so.
  private static func head(_ answer: UnsafeRawBufferPointer, of method: Method? = nil) -> UInt64? {
    var codec = Codec(limits: .trusted)
    do throws(DecodeError) {
      switch method {
      case nil:
        let event = try codec.decode(SubscriptionEvent.self, answer)
        if case .subscribed(let subscribed)? = event.kind { return subscribed.head }
        return nil
      case .threadStart?: return try codec.decode(StartThreadResponse.self, answer).thread?.sequence
      case .threadResume?: return try codec.decode(ResumeThreadResponse.self, answer).thread?.sequence
      case .threadFork?: return try codec.decode(ForkThreadResponse.self, answer).thread?.sequence
      default: return nil
      }
    } catch { return nil }
  }

  mutating func ended(_ stream: UInt32) {
    asked[stream] = nil
    ending.remove(stream)
    subscriptions[stream] = nil
  }
}

extension ReplayCopy {
  /// Draws who is cut in this second.
  func draw(percent: Double) {
    for index in links.indices where Double.random(in: 0..<100) < percent {
      links[index].cut.isDrawn = true
      cut(index)
    }
  }

  /// Cuts a connection off without a word and comes again, unless something is on its way.
  func cut(_ index: Int) {
    let link = links[index]
    guard link.cut.isDrawn, link.isOpen, !link.isClosed, let channel = link.channel, channel.isOpen,
      !link.cut.isReturning, !link.cut.greeting.isEmpty, link.pending.isEmpty, !link.isDirty,
      link.seen[ReplayCopy.helloKey] != nil, link.calls.count == link.cut.answeredCalls, link.cut.ending.isEmpty
    else { return }
    statistics.now.dropped += 1
    links[index].cut.isDrawn = false
    links[index].cut.isGreeting = true
    connect(index)
    channel.close()
  }

  /// A connection that was cut is open again: it greets and subscribes in one go.
  func returned(_ channel: FrameChannel) {
    let index = channel.index
    channel.append(links[index].cut.greeting)
    var codec = Codec()
    for (stream, subscription) in links[index].cut.subscriptions.sorted(by: { $0.key < $1.key }) {
      var request = subscription
      if faultsResume {
        if let last = links[index].streams[stream]?.last, last > 0 { request.after = last }
      } else {
        // It misses what happens meanwhile, and begins anew.
        request.after = nil
        links[index].streams[stream] = StreamWatch(opened: monotonicNanoseconds())
      }
      let body = codec.encode(request)
      let header = FrameHeader(
        .request, method: UInt16(clamping: Method.threadSubscribe.rawValue), stream: stream,
        length: UInt32(clamping: body.count))
      links[index].cut.awaited.insert(stream)
      channel.append(header, body)
    }
    channel.flush()
  }

  /// Whether a frame is part of coming again, which the recording knows nothing of.
  func takesBack(_ channel: FrameChannel, _ header: FrameHeader, _ body: UnsafeRawBufferPointer) -> Bool {
    let index = channel.index
    switch header.knownKind {
    case .hello:
      links[index].cut.isGreeting = false
      return true
    case .response: return links[index].cut.awaited.remove(header.stream) != nil
    case .error:
      guard links[index].cut.awaited.remove(header.stream) != nil else { return false }
      // The thread is gone, or the answer says why not: the subscription has ended.
      links[index].cut.ended(header.stream)
      statistics.now.failed(ErrorPeek.reason(body))
      return false
    default: return false
    }
  }
}
