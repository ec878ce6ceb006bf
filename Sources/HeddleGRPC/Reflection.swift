// Server reflection, versions v1 and v1alpha, which have the same messages: clients such as grpcurl learn the services and
// their messages from the server itself (gRPC's "Server Reflection Protocol").

import HeddleProtocol

/// A .proto file as a descriptor, and the names that it defines.
struct FileDescriptor: Sendable {
  let name: String
  let dependencies: [String]
  let services: [String]
  /// One name a line.
  let symbols: String
  let base64: String
}

/// All files that are served, found by name and by symbol.
enum FileDescriptors {
  private static let byName = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
  private static let bySymbol = Dictionary(
    all.flatMap { file in file.symbols.split(separator: "\n").map { (String($0), file) } }
  ) { first, _ in first }

  static var services: [String] { all.flatMap(\.services).sorted() }

  static func named(_ name: String) -> FileDescriptor? { byName[name] }

  /// The file that defines a message, an enum, a service or a method.
  static func defining(_ symbol: String) -> FileDescriptor? { bySymbol[symbol] }

  /// The file and everything that it needs, each once, the file first.
  static func withDependencies(_ file: FileDescriptor) -> [FileDescriptor] {
    var found = [file]
    var at = 0
    while at < found.count {
      for name in found[at].dependencies where !found.contains(where: { $0.name == name }) {
        if let file = byName[name] { found.append(file) }
      }
      at += 1
    }
    return found
  }
}

enum Reflection {
  private enum Question {
    case file(String)
    case symbol(String)
    case fileWithExtension
    case extensions(String)
    case services
  }

  private static let notFound: Int64 = 5
  private static let invalidArgument: Int64 = 3

  /// The response to one request of the stream; nil: the request is no message.
  static func answer(_ request: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let (host, question) = read(request) else { return nil }
    var out = MessageWriter()
    if !host.isEmpty { out.text(host, field: 1) }
    out.bytes(request, field: 2)
    switch question {
    case .file(let name): write(FileDescriptors.named(name), "file", name, to: &out)
    case .symbol(let name): write(FileDescriptors.defining(name), "symbol", name, to: &out)
    case .fileWithExtension: out.message(field: 7) { error(notFound, "no message here has extensions", to: &$0) }
    case .extensions(let name):
      out.message(field: 5) { $0.text(name, field: 1) }
    case .services:
      out.message(field: 6) { list in
        for service in FileDescriptors.services { list.message(field: 1) { $0.text(service, field: 1) } }
      }
    case nil: out.message(field: 7) { error(invalidArgument, "the request asks for nothing", to: &$0) }
    }
    return out.bytes
  }

  private static func write(_ file: FileDescriptor?, _ kind: String, _ name: String, to out: inout MessageWriter) {
    guard let file else {
      // The name is the client's own text: it is not repeated.
      return out.message(field: 7) { error(notFound, "there is no such \(kind)", to: &$0) }
    }
    out.message(field: 4) { response in
      for file in FileDescriptors.withDependencies(file) {
        let bytes = Base64.bytes(file.base64.filter { $0 != "\n" }) ?? []
        bytes.withUnsafeBytes { response.bytes($0, field: 1) }
      }
    }
  }

  private static func error(_ code: Int64, _ text: String, to out: inout MessageWriter) {
    out.number(UInt64(code), field: 1)
    out.text(text, field: 2)
  }

  private static func read(_ bytes: UnsafeRawBufferPointer) -> (host: String, question: Question?)? {
    var reader = WireReader(bytes)
    var host = ""
    var question: Question?
    while !reader.isAtEnd {
      guard let (number, wire) = reader.tag() else { return nil }
      guard (1...7).contains(number), wire == 2 else {
        guard reader.skip(wire) else { return nil }
        continue
      }
      guard let block = reader.block() else { return nil }
      guard number != 5 else {
        question = .fileWithExtension
        continue
      }
      guard let text = String(validating: UnsafeRawBufferPointer(rebasing: bytes[block]), as: UTF8.self)
      else { return nil }
      switch number {
      case 1: host = text
      case 3: question = .file(text)
      case 4: question = .symbol(text)
      case 6: question = .extensions(text)
      case 7: question = .services
      default: break
      }
    }
    return (host, question)
  }
}

/// Writes the few messages of gRPC's own services, first byte first.
struct MessageWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ value: UInt64, field: UInt64) {
    varint(field << 3)
    varint(value)
  }

  mutating func text(_ text: String, field: UInt64) {
    varint(field << 3 | 2)
    varint(UInt64(text.utf8.count))
    bytes += text.utf8
  }

  mutating func bytes(_ value: UnsafeRawBufferPointer, field: UInt64) {
    varint(field << 3 | 2)
    varint(UInt64(value.count))
    bytes += value
  }

  mutating func message(field: UInt64, _ write: (inout MessageWriter) -> Void) {
    var inner = MessageWriter()
    write(&inner)
    inner.bytes.withUnsafeBytes { bytes($0, field: field) }
  }

  private mutating func varint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }
}

/// Cuts the requests of a reflection stream, which has any number of them.
struct ReflectionReader {
  static let paths = [
    "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
  ]
  private static let maximumBytes = 16 * 1_024
  private var bytes: [UInt8] = []

  /// The whole requests that there are now; nil: what came is none.
  mutating func append(_ more: UnsafeRawBufferPointer) -> [[UInt8]]? {
    bytes += more
    var found: [[UInt8]] = []
    var at = 0
    while bytes.count - at >= 5 {
      let length = bytes[(at + 1)..<(at + 5)].reduce(0) { $0 << 8 | Int($1) }
      guard bytes[at] == 0, length <= Self.maximumBytes else { return nil }
      guard bytes.count - at - 5 >= length else { break }
      found.append(Array(bytes[(at + 5)..<(at + 5 + length)]))
      at += 5 + length
    }
    bytes.removeFirst(at)
    return found
  }

  var isEmpty: Bool { bytes.isEmpty }
}
