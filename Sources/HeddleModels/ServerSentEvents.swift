// Server-sent events, as the HTML standard writes them: bytes in, events out, no I/O. What a provider sends is cut where
// the network likes, so the parser gives the same events wherever the bytes are cut.
//
//   line        ends with LF, CR or CR LF; a byte order mark before the first one is skipped
//   `: text`    a comment
//   `data: x`   a line of the event's data; several are joined by LF
//   `event: x`  the event's name
//   empty line  ends the event; without data there is none
//   others      are skipped: nobody resumes a model's answer by `id`, and `retry` is the provider's configuration
//
// N1  Nothing is kept beyond `lineBytes` of a line and `eventBytes` of an event, however much is sent.
// N2  An event that the stream's end cuts off is no event.

/// One event.
struct ServerSentEvent: Equatable, Sendable {
  /// Empty when the stream does not say.
  var name = ""
  var data: String
}

/// Why bytes are no stream of events.
enum StreamFault: Error, Equatable, Sendable {
  case lineTooLong
  case eventTooLong
  case notUTF8
}

struct ServerSentEvents: Sendable {
  private let lineBytes: Int
  private let eventBytes: Int
  private var input: [UInt8] = []
  private var at = 0
  private var line: [UInt8] = []
  private var name: [UInt8] = []
  private var data: [UInt8] = []
  private var hasData = false
  private var isFirstLine = true
  /// The last line ended with CR: an LF that follows belongs to it.
  private var skipsLineFeed = false
  /// Lines so far, comments and all: a stream whose lines come to an end is alive.
  private(set) var lines = 0

  private static let lineFeed = UInt8(ascii: "\n")
  private static let carriageReturn = UInt8(ascii: "\r")
  private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

  init(lineBytes: Int, eventBytes: Int) {
    self.lineBytes = lineBytes
    self.eventBytes = eventBytes
  }

  /// Takes bytes as they come. Ask `next` until it has nothing more.
  mutating func append(_ bytes: [UInt8]) {
    if at == input.count {
      input = bytes
    } else {
      input.removeSubrange(..<at)
      input += bytes
    }
    at = 0
  }

  /// The next event; nil: more bytes are needed.
  mutating func next() throws(StreamFault) -> ServerSentEvent? {
    while true {
      if skipsLineFeed {
        guard at < input.count else { return nil }
        if input[at] == Self.lineFeed { at += 1 }
        skipsLineFeed = false
      }
      let rest = input[at...]
      guard let end = rest.firstIndex(where: { $0 == Self.lineFeed || $0 == Self.carriageReturn }) else {
        try grow(rest)
        at = input.count
        return nil
      }
      try grow(input[at..<end])
      skipsLineFeed = input[end] == Self.carriageReturn
      at = end + 1
      if let event = try endLine() { return event }
    }
  }

  private mutating func grow(_ bytes: ArraySlice<UInt8>) throws(StreamFault) {
    guard bytes.count <= lineBytes - line.count else { throw .lineTooLong }
    line += bytes
  }

  private mutating func endLine() throws(StreamFault) -> ServerSentEvent? {
    lines += 1
    defer { line.removeAll(keepingCapacity: line.capacity <= 64 * 1024) }
    if isFirstLine {
      isFirstLine = false
      if line.starts(with: Self.byteOrderMark) { line.removeFirst(Self.byteOrderMark.count) }
    }
    guard !line.isEmpty else { return try endEvent() }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
    var value = line[min(colon + 1, line.endIndex)...]
    if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
    let field = line[..<colon]
    if field.elementsEqual("data".utf8) {
      guard value.count < eventBytes - data.count else { throw .eventTooLong }
      if hasData { data.append(Self.lineFeed) }
      data += value
      hasData = true
    } else if field.elementsEqual("event".utf8) {
      name = Array(value)
    }
    return nil
  }

  private mutating func endEvent() throws(StreamFault) -> ServerSentEvent? {
    defer {
      name = []
      data = []
      hasData = false
    }
    guard hasData else { return nil }
    guard let text = String(validating: data, as: UTF8.self), let label = String(validating: name, as: UTF8.self) else {
      throw .notUTF8
    }
    return ServerSentEvent(name: label, data: text)
  }
}
