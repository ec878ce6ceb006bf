// The memory of a connection that may be cut: the frames with which it comes again.

import HeddleCapture
import HeddleCore
import HeddleProtocol

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
