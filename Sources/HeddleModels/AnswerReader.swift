// From the bytes of one HTTP answer to signals, or to what is wrong with it. Pure: bytes go in as they come, signals come
// out one event at a time, so that nothing piles up however much a provider sends at once.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRuntime

struct AnswerReader: Sendable {
  private enum Kind: Sendable {
    case events
    /// The body says what went wrong, in one JSON text.
    case refusal(status: Int, retryAfter: Int64?)
    /// Nothing of the body is of interest: it is read to its end, so that the connection can be used again.
    case rest
  }

  private let words: FailureWords
  private let limits: AnswerLimits
  private var decoder: any AnswerDecoder
  private var parser: ServerSentEvents
  private var kind = Kind.events
  private var refusal: [UInt8] = []
  private var bytes = 0
  private var events = 0

  init(decoder: any AnswerDecoder, words: FailureWords, limits: AnswerLimits) {
    self.decoder = decoder
    self.words = words
    self.limits = limits
    parser = ServerSentEvents(lineBytes: limits.lineBytes, eventBytes: limits.eventBytes)
  }

  /// The answer has come to its end; its connection may still have some bytes to give.
  var isWhole: Bool { decoder.isWhole }

  /// Rises while the connection is alive.
  var lines: Int { parser.lines }

  /// Rises while the answer makes progress.
  var pieces: Int { decoder.pieces }

  /// The head of the answer. `now`: unix seconds, for a wait that is told as a date.
  mutating func begin(status: Int, headers: [(name: String, value: String)], now: Int64) throws(AnswerFault) {
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value.lowercased() }
    guard status == 200 else {
      kind = .refusal(status: status, retryAfter: RetryAfter.milliseconds(headers, now: now))
      return
    }
    if let coding = header("content-encoding"), coding != "identity" {
      throw words.invalid("it is packed by \(words.excerpt(coding)), which was not asked for")
    }
    // A stream without a type is taken for one of events; a text that calls itself something else is an error page.
    if let type = header("content-type"), !type.hasPrefix("text/event-stream") {
      kind = .refusal(status: status, retryAfter: nil)
    }
  }

  mutating func append(_ more: [UInt8]) throws(AnswerFault) {
    switch kind {
    case .events:
      bytes += more.count
      guard bytes <= limits.answerBytes else { throw words.tooLarge("it has more than \(limits.answerBytes) bytes") }
      parser.append(more)
    case .refusal:
      refusal += more.prefix(max(0, limits.errorBytes - refusal.count))
      if refusal.count == limits.errorBytes { throw refused() }
    case .rest: return
    }
  }

  /// The signals of the next event; nil: more bytes are needed.
  mutating func next() throws(AnswerFault) -> [ModelSignal]? {
    guard case .events = kind else { return nil }
    if isWhole {
      kind = .rest
      return nil
    }
    let event: ServerSentEvent?
    do { event = try parser.next() } catch { throw words.fault(error, limits) }
    guard let event else { return nil }
    events += 1
    guard events <= limits.events else { throw words.tooLarge("it has more than \(limits.events) events") }
    return try checked(try decoder.decode(event))
  }

  /// The body has ended. Throws unless the answer is whole.
  mutating func end() throws(AnswerFault) -> [ModelSignal] {
    switch kind {
    case .events: return try checked(try decoder.end())
    case .refusal: throw refused()
    case .rest: return []
    }
  }

  private func refused() -> AnswerFault {
    guard case .refusal(let status, let retryAfter) = kind else { return words.broken() }
    let json = try? JSONValue(parsing: String(decoding: refusal, as: UTF8.self))
    let error = ProviderError(json)
    if status == 200, error == ProviderError() { return words.invalid("it is not a stream of events") }
    return words.fault(error, status: status == 200 ? nil : status, retryAfter: retryAfter)
  }

  // MARK: What reaches the thread

  /// Nothing that the store could not keep: no NUL in a text, no name longer than names are.
  private func checked(_ signals: [ModelSignal]) throws(AnswerFault) -> [ModelSignal] {
    var out: [ModelSignal] = []
    for signal in signals { out.append(try checked(signal)) }
    return out
  }

  private func checked(_ signal: ModelSignal) throws(AnswerFault) -> ModelSignal {
    switch signal {
    case .text(let text): return .text(text.withoutNUL)
    case .thought(let text): return .thought(text.withoutNUL)
    case .toolCall(let id, let name, let arguments, let providerID, let fault):
      return .toolCall(
        id: try short(id), name: try short(name), arguments: arguments.withoutNUL, providerID: try short(providerID),
        fault: fault)
    case .itemDone(var end):
      end.providerID = try short(end.providerID)
      end.encrypted = end.encrypted.map(\.withoutNUL)
      return .itemDone(end)
    case .opaque(var part, let providerID):
      part.kind = try short(part.kind)
      part.json = part.json.withoutNUL
      return .opaque(part, providerID: try short(providerID))
    case .usage, .retrying, .waiting, .asked, .finished, .failed, .compacted: return signal
    }
  }

  private func short(_ text: String) throws(AnswerFault) -> String {
    guard text.utf8.count <= limits.nameBytes else {
      throw words.invalid("a name in it has more than \(limits.nameBytes) bytes")
    }
    return text.withoutNUL
  }
}
