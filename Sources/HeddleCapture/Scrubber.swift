// Takes text of people and tokens out of a message before it is written anywhere. In place: the text is overwritten by
// as many bytes, so that lengths, offsets and ids stay where they were and a recording can still be replayed.
//
//   what                                    becomes
//   token                                   x, always
//   text marked sensitive                   w, x, y or z for every byte but blanks and line breaks
//   ” that begins like JSON                 the same inside of its texts; digits become 1; the structure stays
//   ” lines that direct the scripted model  `!chunks 40`, `!delay 50` and the like stay: they steer a test and quote no person
//   unknown fields                          x: a newer schema may mark them
//   a message that cannot be read           x, all of it
//
// The letters are drawn from the text under a random key that this process keeps to itself. So equal texts stay equal and
// different ones different, as names have to for a server to notice a change, and no reader can test a guess of a text. A text of these letters alone has been overwritten already, and stays.

import HeddleCore
import HeddleProtocol

public struct Scrubber: Sendable {
  /// Leaves text as it is; tokens go all the same.
  public var keepsText: Bool

  /// Only x: for comparing texts that were overwritten under different keys.
  public var isPlain = false

  public init(keepsText: Bool = false) { self.keepsText = keepsText }

  public static let plain = {
    var scrubber = Scrubber()
    scrubber.isPlain = true
    return scrubber
  }()

  /// Scrubs the bytes after a header: metadata, then the message.
  public func scrub(_ body: inout [UInt8], header: FrameHeader, fromClient: Bool) {
    // The capture's own: two numbers.
    if header.kind == CaptureFormat.lostKind, !fromClient, body.count == 16 { return }
    let cut = min(Int(header.metadataLength), body.count)
    let schema = FrameMessages.schema(header, fromClient: fromClient)
    body.withUnsafeMutableBytes { raw in
      if cut > 0 { scrub(raw, 0..<cut, schema: FrameMessages.metadata) }
      if let schema {
        // A client's error about its own tool is the client's text, like the tool's output.
        scrub(raw, cut..<raw.count, schema: schema, whole: fromClient && header.knownKind == .error)
      } else {
        Self.fill(raw, cut..<raw.count)
      }
    }
  }

  private func scrub(
    _ raw: UnsafeMutableRawBufferPointer, _ range: Range<Int>, schema: UInt16, whole: Bool = false
  ) {
    guard let shape = SchemaTable.shape(schema), walk(raw, range, shape, whole: whole, depth: 0) else {
      return Self.fill(raw, range)
    }
  }

  /// False when the bytes are not such a message. `whole`: everything below a sensitive message goes.
  private func walk(
    _ raw: UnsafeMutableRawBufferPointer, _ range: Range<Int>, _ shape: MessageShape, whole: Bool, depth: Int
  ) -> Bool {
    guard depth < 32 else { return false }
    var reader = WireReader(UnsafeRawBufferPointer(raw), in: range)
    while !reader.isAtEnd {
      guard let (number, wire) = reader.tag() else { return false }
      guard wire == 2 else {
        guard reader.skip(wire) else { return false }
        continue
      }
      guard let block = reader.block() else { return false }
      guard let field = shape.field(number) else {
        Self.fill(raw, block)
        continue
      }
      let sensitive = whole || field.isSensitive
      switch field.content {
      case .message(let target):
        guard let inner = SchemaTable.shape(target) else { return false }
        // Also where nothing is marked: unknown fields may be below.
        guard walk(raw, block, inner, whole: sensitive, depth: depth + 1) else { return false }
      case .text, .bytes:
        if field.isSensitive && field.name == "token" {
          Self.fill(raw, block)
        } else if sensitive && field.idKind == 0 && !keepsText {
          Self.shape(UnsafeMutableRawBufferPointer(rebasing: raw[block]), isPlain: isPlain)
        }
      case .varint, .fixed32, .fixed64: break
      }
    }
    return true
  }

  private static let filler = UInt8(ascii: "x")

  private static func fill(_ raw: UnsafeMutableRawBufferPointer, _ range: Range<Int>) {
    for index in range { raw[index] = filler }
  }

  /// The source of the letters of one text.
  private struct Letters {
    private var state: UInt64
    private let isPlain: Bool

    init(_ text: UnsafeMutableRawBufferPointer, isPlain: Bool) {
      // Swift seeds this hash anew in every process.
      var hasher = Hasher()
      hasher.combine(bytes: UnsafeRawBufferPointer(text))
      state = UInt64(bitPattern: Int64(hasher.finalize()))
      self.isPlain = isPlain
    }

    mutating func cover(_ raw: UnsafeMutableRawBufferPointer, _ range: Range<Int>) {
      if !isPlain, range.allSatisfy({ Scrubber.isBlank(raw[$0]) || (0x77...0x7A).contains(raw[$0]) }) { return }
      for index in range where !Scrubber.isBlank(raw[index]) {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        raw[index] = isPlain ? Scrubber.filler : 0x77 + UInt8(state >> 62)
      }
    }
  }

  /// Overwrites a text by its shape.
  static func shape(_ text: UnsafeMutableRawBufferPointer, isPlain: Bool) {
    var letters = Letters(text, isPlain: isPlain)
    if let first = text.first(where: { !isBlank($0) }), first == UInt8(ascii: "{") || first == UInt8(ascii: "[") {
      return shapeJSON(text, &letters)
    }
    var start = 0
    while start < text.count {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.count
      let kept = directive(UnsafeRawBufferPointer(rebasing: text[start..<end]))
      letters.cover(text, start + kept..<end)
      start = end + 1
    }
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }

  private static let numbered = ["!chunks", "!delay", "!repeat", "!flood"]
  private static let bare = ["!stall", "!fail", "!rubbish", "!then"]
  private static let worded = ["!say", "!think", "!tool"]

  /// Bytes at the start of a line that direct the scripted model and quote no person (docs/scripted-model.md).
  private static func directive(_ line: UnsafeRawBufferPointer) -> Int {
    guard line.first == UInt8(ascii: "!") else { return 0 }
    let name = line.prefix { $0 != 0x20 }
    let word = String(decoding: name, as: UTF8.self)
    if bare.contains(word) { return name.count == line.count ? line.count : name.count }
    if worded.contains(word) { return name.count }
    guard numbered.contains(word) else { return 0 }
    let rest = line.dropFirst(name.count)
    return rest.allSatisfy { $0 == 0x20 || (0x30...0x39).contains($0) } ? line.count : name.count
  }

  /// Words of JSON Schema: without them a tool's definition would no longer be one.
  private static let schemaWords: Set<String> = [
    "type", "object", "string", "number", "integer", "boolean", "array", "null", "properties", "required", "items",
    "enum", "description", "additionalProperties",
  ]

  private static func shapeJSON(_ text: UnsafeMutableRawBufferPointer, _ letters: inout Letters) {
    var at = 0
    while at < text.count {
      let byte = text[at]
      switch byte {
      case UInt8(ascii: "\""): at = shapeString(text, from: at + 1, &letters)
      case 0x30...0x39:
        text[at] = UInt8(ascii: "1")
        at += 1
      case UInt8(ascii: "a")...UInt8(ascii: "z"):
        let word = text[at...].prefix { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }
        let keeps = ["true", "false", "null", "e"].contains(String(decoding: word, as: UTF8.self))
        if !keeps { fill(text, at..<at + word.count) }
        at += word.count
      default:
        if !isBlank(byte) && !"{}[]:,.+-".utf8.contains(byte) { text[at] = filler }
        at += 1
      }
    }
  }

  /// Overwrites a text inside of JSON and gives the place behind its closing quote.
  private static func shapeString(
    _ text: UnsafeMutableRawBufferPointer, from start: Int, _ letters: inout Letters
  ) -> Int {
    var end = start
    while end < text.count, text[end] != UInt8(ascii: "\"") { end += text[end] == UInt8(ascii: "\\") ? 2 : 1 }
    end = min(end, text.count)
    if !schemaWords.contains(String(decoding: text[start..<end], as: UTF8.self)) {
      letters.cover(text, start..<end)
    }
    return end + 1
  }
}
