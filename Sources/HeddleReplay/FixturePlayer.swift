// Plays the server of a recording for one client: which answer a request gets, and when the events behind it come.
//
// F1  A request is answered by a recorded one of the same method with the same message: first by one of the connection
//     that this one plays, in the order of the recording, then by one of the others, at last by one that was used before.
// F2  A request with a key that came before gets the answer that it got, or the one that its repetition got in the
//     recording.
// F3  A frame that followed an act of the client (a change, or an answer to a call) waits until that act has come.
// F4  Ids are those of the recording.

import HeddleCapture
import HeddleCore
import HeddleJSON
import HeddleProtocol

/// The keys that came, on all connections.
final class FixtureKeys {
  fileprivate var exchanges: [[UInt8]: Int] = [:]
}

/// One connection: frames go in, frames come out.
final class FixturePlayer {
  /// A frame to send.
  struct Frame: Equatable {
    var header: FrameHeader
    var body: [UInt8]
  }

  private enum Source: Equatable {
    case exchange(Int)
    case unprompted(Int)
  }

  /// The frames of one recorded stream on their way.
  private struct Playing {
    var source: Source
    var stream: UInt32
    var next = 0
    var after: UInt64?
    var isQuiet = false
  }

  private let recording: FixtureRecording
  private let own: Int
  private var playing: [Playing] = []
  private var used: Set<Int> = []
  /// By recorded connection: the acts that have come, as the number of the last one, from 1.
  private var acts: [Int: Int] = [:]
  /// By stream of a call: the recorded connection and stream.
  private var calls: [UInt32: (connection: Int, stream: UInt32)] = [:]
  private var callStream: UInt32 = 0
  private var codec = Codec()
  private(set) var answered = 0
  /// The requests that the recording could not answer, in words.
  private(set) var unmatched: [String] = []

  init(_ recording: FixtureRecording, connection: Int) {
    self.recording = recording
    own = connection
  }

  /// The frames to send now that this one has come.
  func receive(_ header: FrameHeader, _ body: [UInt8], _ keys: FixtureKeys) -> [Frame] {
    let message = Array(body.dropFirst(Int(header.metadataLength)))
    switch header.knownKind {
    case .hello:
      playing.append(Playing(source: .unprompted(own), stream: 0))
      return [frame(.hello, body: recording.connections[own].hello)] + pump()
    case .ping:
      let opaque = (try? codec.decode(Ping.self, message))?.opaque ?? []
      return [frame(.pong, body: codec.encode(Pong(opaque: opaque, status: .serving)))]
    case .request:
      let metadata = try? codec.decode(Metadata.self, Array(body.prefix(Int(header.metadataLength))))
      return request(header, message, metadata?.idempotencyKey?.bytes, keys)
    case .cancel:
      playing.removeAll { $0.stream == header.stream && header.stream != 0 }
      return []
    case .response, .error:
      guard let call = calls.removeValue(forKey: header.stream) else { return [] }
      if let act = recording.connections[call.connection].answers[call.stream] { came(act, call.connection) }
      return pump()
    default: return []
    }
  }

  private func request(
    _ header: FrameHeader, _ message: [UInt8], _ key: [UInt8]?, _ keys: FixtureKeys
  ) -> [Frame] {
    guard let method = FrameMessages.method(header) else {
      return [refuse(header, "the schema has no method \(header.method)")]
    }
    let shape = FixtureShape(method, message)
    let known = key.flatMap { keys.exchanges[$0] }.map { first in
      recording.exchanges.indices.first { recording.exchanges[$0].repeated == first && !used.contains($0) } ?? first
    }
    guard let index = known ?? find(method, shape) else {
      let words = missing(method, shape)
      unmatched.append(words)
      return [refuse(header, words)]
    }
    if let key, keys.exchanges[key] == nil { keys.exchanges[key] = index }
    let exchange = recording.exchanges[index]
    used.insert(index)
    answered += 1
    if let act = exchange.act { came(act, exchange.connection) }
    // One that resumes has done its acts on the connection before.
    if shape.isResumed { acts[exchange.connection] = .max }
    playing.append(
      Playing(source: .exchange(index), stream: header.stream, after: shape.after, isQuiet: shape.isQuiet))
    return pump()
  }

  private func came(_ act: Int, _ connection: Int) {
    acts[connection] = max(acts[connection] ?? 0, act == .max ? act : act + 1)
  }

  // MARK: finding

  private func find(_ method: Method, _ shape: FixtureShape) -> Int? {
    let mine = recording.connections[own].exchanges
    let others = recording.exchanges.indices.filter { recording.exchanges[$0].connection != own }
    let ways: [(FixtureShape) -> Bool] =
      [{ $0.text == shape.text }] + (recording.isScrubbed ? [{ $0.plain == shape.plain }] : [])
    for fits in ways {
      let all = (mine + others).filter {
        let exchange = recording.exchanges[$0]
        return exchange.method == method && exchange.repeated == nil && fits(exchange.shape)
      }
      if let found = all.first(where: { !used.contains($0) }) ?? all.last { return found }
    }
    return nil
  }

  private func missing(_ method: Method, _ shape: FixtureShape) -> String {
    let same = recording.exchanges.filter { $0.method == method }
    guard let near = same.first(where: { $0.connection == own }) ?? same.first else {
      return "the recording has no \(method.path)"
    }
    let place = FieldPath.firstDifference(near.shape.text, shape.text) ?? "the message"
    return "the recording has no \(method.path) with this message: frame \(near.frame) differs in \(place)"
  }

  // MARK: sending

  /// Every frame that waits for nothing, in the order of the recording.
  private func pump() -> [Frame] {
    var out: [Frame] = []
    while true {
      var best: (place: Int, reply: FixtureRecording.Reply)?
      for (place, one) in playing.enumerated() {
        guard let reply = next(one), best == nil || reply.order < (best?.reply.order ?? 0) else { continue }
        best = (place, reply)
      }
      guard let best else { break }
      playing[best.place].next += 1
      if let frame = made(best.reply, playing[best.place]) { out.append(frame) }
    }
    playing.removeAll { $0.next >= replies($0).count && $0.source != .unprompted(own) }
    return out
  }

  private func replies(_ one: Playing) -> [FixtureRecording.Reply] {
    switch one.source {
    case .exchange(let index):
      let replies = recording.exchanges[index].replies
      return one.isQuiet ? Array(replies.prefix(1)) : replies
    case .unprompted(let connection): return recording.connections[connection].unprompted
    }
  }

  private func next(_ one: Playing) -> FixtureRecording.Reply? {
    let replies = replies(one)
    guard one.next < replies.count else { return nil }
    let reply = replies[one.next]
    let connection =
      switch one.source {
      case .exchange(let index): recording.exchanges[index].connection
      case .unprompted(let connection): connection
      }
    // The answer itself waits for nothing.
    if case .exchange = one.source, one.next == 0 { return reply }
    return reply.acts <= acts[connection] ?? 0 ? reply : nil
  }

  private func made(_ reply: FixtureRecording.Reply, _ one: Playing) -> Frame? {
    var header = reply.header
    switch one.source {
    case .exchange:
      header.stream = one.stream
      if one.isQuiet { header.flags |= FrameHeader.endOfStream }
      if let after = one.after, header.knownKind == .event, isSeen(reply, after) { return nil }
    case .unprompted(let connection):
      guard header.stream != 0 else { break }
      if header.knownKind == .request {
        callStream += 2
        calls[callStream] = (connection, header.stream)
      }
      guard let stream = calls.first(where: { $0.value == (connection, header.stream) })?.key else { return nil }
      header.stream = stream
    }
    return Frame(header: header, body: reply.body)
  }

  /// An event that the client names as seen.
  private func isSeen(_ reply: FixtureRecording.Reply, _ after: UInt64) -> Bool {
    let message = Array(reply.body.dropFirst(Int(reply.header.metadataLength)))
    guard let event = try? codec.decode(SubscriptionEvent.self, message), event.thread == nil,
      case .event(let numbered)? = event.kind
    else { return false }
    return numbered.sequence <= after
  }

  private func refuse(_ header: FrameHeader, _ words: String) -> Frame {
    let error = WireError(code: .failedPrecondition, reason: Reason.notRecorded.rawValue, message: words)
    return frame(
      .error, method: header.method, stream: header.stream, flags: FrameHeader.endOfStream, body: codec.encode(error))
  }

  private func frame(
    _ kind: FrameKind, method: UInt16 = 0, stream: UInt32 = 0, flags: UInt8 = 0, body: [UInt8]
  ) -> Frame {
    Frame(
      header: FrameHeader(kind, method: method, stream: stream, flags: flags, length: UInt32(clamping: body.count)),
      body: body)
  }
}

/// The place where two messages differ, as people write it: `input.content[0].text`.
enum FieldPath {
  static func firstDifference(_ recorded: String, _ asked: String) -> String? {
    guard let recorded = try? JSONValue(parsing: recorded), let asked = try? JSONValue(parsing: asked) else {
      return nil
    }
    return find(recorded, asked, "")
  }

  private static func find(_ recorded: JSONValue?, _ asked: JSONValue?, _ path: String) -> String? {
    if recorded == asked { return nil }
    switch (recorded, asked) {
    case (.object(let a)?, .object(let b)?):
      for name in (a.map(\.name) + b.map(\.name)) {
        let (before, after) = (a.last { $0.name == name }?.value, b.last { $0.name == name }?.value)
        if let found = find(before, after, path.isEmpty ? name : "\(path).\(name)") { return found }
      }
      return path
    case (.list(let a)?, .list(let b)?):
      for index in 0..<max(a.count, b.count) {
        let (before, after) = (index < a.count ? a[index] : nil, index < b.count ? b[index] : nil)
        if let found = find(before, after, "\(path)[\(index)]") { return found }
      }
      return path
    default: return "\(path.isEmpty ? "the message" : path): \(short(recorded)) there, \(short(asked)) here"
    }
  }

  private static func short(_ value: JSONValue?) -> String {
    guard let text = value?.written() else { return "nothing" }
    return text.count > 60 ? "\(text.prefix(60))…" : text
  }
}
