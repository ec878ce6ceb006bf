// differential [--plant NAME] [--each]: answers what the server's decoder makes of each message on standard input. The
// program that asks is Tests/differential; Google's parser answers the same there.
//
//   in    one batch after the other   bytes 4 · then records: message 2, length 4, bytes
//   out   for each batch              bytes 4 · then answers: what 1, length 4, bytes
//   what  0 accepted, the bytes are the message encoded anew · 1 refused, the bytes are the reason
//
// All numbers are little-endian. With --each every answer is a batch of its own, written before the next message is
// read: after a crash one knows whose it was. `--list` prints the messages in the order of their numbers.
//
// With --to-json an answer is the canonical JSON of the message; with --from-json a record holds JSON, and its answer the
// bytes of the message.

import Glibc
import HeddleJSON
import HeddleProtocol

/// The way that messages take.
enum Way { case encodedAnew, toJSON, fromJSON }

/// Deliberate mistakes, to show that the comparison finds them.
enum Plant: String, CaseIterable {
  /// Every refused message counts as an empty one.
  case acceptsAll = "accepts-all"
  /// One unknown field more than allowed.
  case unknownFields = "unknown-fields"
  /// One element more than allowed.
  case elements
  /// One message in a thousand is refused for nothing.
  case refusesSome = "refuses-some"
  /// Fields 1 and 2 of the answer change places.
  case swapsFields = "swaps-fields"
  /// The lowest bit of the answer's last byte is flipped.
  case flipsBit = "flips-bit"
  /// Refused, but for something else.
  case wrongReason = "wrong-reason"
  /// Ends with a trap.
  case crashes
}

extension DecodeError {
  /// The case without its field, for the comparison with the other side.
  var word: String {
    switch self {
    case .malformed: "malformed"
    case .tooDeep: "too_deep"
    case .tooManyElements: "too_many_elements"
    case .tooManyUnknown: "too_many_unknown"
    case .invalidUTF8: "invalid_utf8"
    case .embeddedNUL: "embedded_nul"
    case .budget: "decode_budget"
    case .unknownEnum: "unknown_enum"
    case .missingField: "missing_field"
    case .badID: "bad_id"
    }
  }
}

struct Decoder: ~Copyable {
  private var codec: Codec
  private let plant: Plant?
  private let way: Way
  private var count = 0

  init(plant: Plant?, _ way: Way) {
    self.way = way
    var limits = DecodeLimits()
    if plant == .unknownFields { limits.unknownFields += 1 }
    if plant == .elements { limits.repeatedElements += 1 }
    codec = Codec(limits: limits)
    self.plant = plant
  }

  /// Appends the answer to one message.
  mutating func answer(_ schema: Int, _ bytes: UnsafeRawBufferPointer, to out: inout [UInt8]) {
    count += 1
    if plant == .crashes, count == 500 { abort() }
    guard schema < MessageTypes.all.count else { return Self.append(1, Array("no such message".utf8), to: &out) }
    if way != .encodedAnew { return json(UInt16(schema), Array(bytes), to: &out) }
    do throws(DecodeError) {
      var encoded = try again(MessageTypes.all[schema], bytes)
      if plant == .refusesSome, count % 1_000 == 0 { throw .malformed }
      if plant == .swapsFields { Self.swapFields(&encoded) }
      if plant == .flipsBit, !encoded.isEmpty { encoded[encoded.count - 1] ^= 1 }
      Self.append(0, encoded, to: &out)
    } catch {
      if plant == .acceptsAll { return Self.append(0, [], to: &out) }
      let word = plant == .wrongReason && error == .tooManyUnknown ? DecodeError.tooDeep.word : error.word
      Self.append(1, Array(word.utf8), to: &out)
    }
  }

  private func json(_ schema: UInt16, _ bytes: [UInt8], to out: inout [UInt8]) {
    do {
      guard way == .fromJSON else {
        return Self.append(0, Array(try JSONTranscoder.json(bytes, schema: schema, style: .canonical).utf8), to: &out)
      }
      let rules = JSONRules(isStrict: true, depth: 32, bytes: bytes.count, mayRepeatNames: true)
      var parser = JSONParser(bytes, rules: rules)
      let value = try parser.document()
      Self.append(0, try JSONTranscoder.wire(value, schema: schema, style: .canonical), to: &out)
    } catch {
      Self.append(1, Array("\(error)".utf8), to: &out)
    }
  }

  /// Decodes and encodes as the server does: pre-scan, unpack, Swift values, pack.
  private mutating func again<M: WireMessage>(
    _ type: M.Type, _ bytes: UnsafeRawBufferPointer
  ) throws(DecodeError) -> [UInt8] {
    let value = try codec.decode(type, bytes)
    return codec.encode(value)
  }

  private static func append(_ what: UInt8, _ bytes: [UInt8], to out: inout [UInt8]) {
    out.append(what)
    Wire.append(UInt32(bytes.count), to: &out)
    out += bytes
  }

  /// Swaps the numbers of fields 1 and 2, if the answer begins with one of them as bytes.
  private static func swapFields(_ bytes: inout [UInt8]) {
    guard let first = bytes.first, first == 0x0A || first == 0x12 else { return }
    bytes[0] = first ^ 0x18
  }
}

enum Wire {
  static func append(_ value: UInt32, to out: inout [UInt8]) {
    withUnsafeBytes(of: value.littleEndian) { out += $0 }
  }

  /// Exactly `count` bytes, or nil at the end of the input.
  static func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var at = 0
    while at < count {
      let got = bytes.withUnsafeMutableBytes { Glibc.read(0, $0.baseAddress?.advanced(by: at), count - at) }
      guard got > 0 else { return nil }
      at += got
    }
    return bytes
  }

  static func write(_ bytes: [UInt8]) {
    var head: [UInt8] = []
    append(UInt32(bytes.count), to: &head)
    for part in [head, bytes] {
      var at = 0
      while at < part.count {
        let put = part.withUnsafeBytes { Glibc.write(1, $0.baseAddress?.advanced(by: at), part.count - at) }
        guard put > 0 else { exit(1) }
        at += put
      }
    }
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }
}

@main
struct Differential {
  static func main() {
    let arguments = CommandLine.arguments.dropFirst()
    if arguments.contains("--list") {
      for index in 0..<SchemaTable.messageCount { print(SchemaTable.messageName(UInt16(index)) ?? "") }
      return
    }
    var plant: Plant?
    if let at = arguments.firstIndex(of: "--plant") {
      plant = at + 1 < arguments.endIndex ? Plant(rawValue: arguments[at + 1]) : nil
      guard plant != nil else {
        print("differential: plants are \(Plant.allCases.map(\.rawValue).joined(separator: " "))")
        exit(64)
      }
    }
    let way: Way =
      arguments.contains("--to-json") ? .toJSON : arguments.contains("--from-json") ? .fromJSON : .encodedAnew
    serve(Decoder(plant: plant, way), each: arguments.contains("--each"))
  }

  private static func serve(_ decoder: consuming Decoder, each: Bool) {
    while let size = Wire.read(4), let batch = Wire.read(Wire.number(size[...])) {
      var out: [UInt8] = []
      var at = 0
      while at + 6 <= batch.count {
        let schema = Wire.number(batch[at..<at + 2])
        let length = Wire.number(batch[at + 2..<at + 6])
        at += 6
        guard at + length <= batch.count else { exit(65) }
        let message = at..<at + length
        batch.withUnsafeBytes { decoder.answer(schema, UnsafeRawBufferPointer(rebasing: $0[message]), to: &out) }
        at += length
        if each {
          Wire.write(out)
          out.removeAll(keepingCapacity: true)
        }
      }
      if !each { Wire.write(out) }
    }
  }
}
