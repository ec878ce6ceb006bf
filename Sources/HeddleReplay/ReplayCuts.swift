// Connections that are cut and come again while a recording is replayed (`ReplayFaults`).
//
// A connection is cut when nothing of it is on its way: no request without an answer, no call of the server's without one.
// It greets again and subscribes again, each subscription on the stream that it had, so the recording goes on as if nothing
// had happened; these frames are neither recorded nor waited for.

import HeddleCore
import HeddleProtocol

extension ReplayCopy {
  /// Draws the connections that are cut in this second.
  func drawCuts() {
    for index in links.indices where Double.random(in: 0..<100) < options.faults.dropPercent {
      links[index].cut.isDrawn = true
      cut(index)
    }
  }

  /// Cuts a connection off without a word and comes again, unless something is on its way.
  func cut(_ index: Int) {
    let link = links[index]
    guard link.cut.isDrawn, link.isOpen, !link.isClosed, let channel = link.channel, channel.isOpen,
      !link.cut.isReturning, !link.cut.greeting.isEmpty, link.pending.isEmpty, !link.isDirty,
      link.isGreeted, link.calls.count == link.cut.answeredCalls, link.cut.ending.isEmpty
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
      if options.faults.resumes {
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
