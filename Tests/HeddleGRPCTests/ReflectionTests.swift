// Server reflection answers what grpcurl and its like ask.

import HeddleProtocol
import Testing

@testable import HeddleGRPC

@Suite struct ReflectionTests {
  private func answer(_ write: (inout MessageWriter) -> Void) -> [UInt8]? {
    var request = MessageWriter()
    write(&request)
    return request.bytes.withUnsafeBytes { Reflection.answer($0) }
  }

  /// The values of a field of a message, in their order.
  private func fields(_ number: UInt64, of bytes: [UInt8]) -> [[UInt8]] {
    bytes.withUnsafeBytes { raw in
      var reader = WireReader(raw)
      var found: [[UInt8]] = []
      while let (field, wire) = reader.tag() {
        guard field == number, wire == 2 else {
          guard reader.skip(wire) else { break }
          continue
        }
        guard let block = reader.block() else { break }
        found.append(Array(raw[block]))
      }
      return found
    }
  }

  private func texts(_ number: UInt64, of bytes: [UInt8]) -> [String] {
    fields(number, of: bytes).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test("The services are listed, those of gRPC itself too")
  func services() throws {
    let answer = try #require(answer { $0.text("", field: 7) })
    let listed = fields(1, of: try #require(fields(6, of: answer).first)).flatMap { texts(1, of: $0) }
    #expect(listed.contains("heddle.v1.ThreadService") && listed.contains("heddle.v1.ServerService"))
    #expect(listed.contains("heddle.v1.CallService") && !listed.contains("heddle.v1.ClientService"))
    #expect(listed.contains("grpc.health.v1.Health"))
    #expect(listed.contains("grpc.reflection.v1.ServerReflection"))
    #expect(listed.contains("grpc.reflection.v1alpha.ServerReflection"))
    #expect(listed == listed.sorted())
  }

  @Test(
    "A file comes with all files that it needs",
    arguments: [
      (UInt64(3), "heddle/v1/thread.proto", "heddle/v1/thread.proto"),
      (4, "heddle.v1.ThreadService.Read", "heddle/v1/thread.proto"),
      (4, "google.rpc.RetryInfo", "google/rpc/error_details.proto"),
    ])
  func file(_ field: UInt64, _ name: String, _ wanted: String) throws {
    let answer = try #require(answer { $0.text(name, field: field) })
    let files = fields(1, of: try #require(fields(4, of: answer).first))
    let names = files.flatMap { texts(1, of: $0) }
    #expect(names.first == wanted)
    for file in files {
      for needed in texts(3, of: file) { #expect(names.contains(needed)) }
    }
    // The request stands in the response.
    #expect(texts(field, of: try #require(fields(2, of: answer).first)) == [name])
  }

  @Test("An unknown name is an error in the stream, and the name is not repeated in it")
  func unknown() throws {
    for field: UInt64 in [3, 4] {
      let answer = try #require(answer { $0.text("no.such.Thing", field: field) })
      let error = try #require(fields(7, of: answer).first)
      #expect(error.starts(with: [8, 5]) && !(texts(2, of: error).first ?? "").contains("Thing"))
    }
  }

  @Test("Bytes that are no message have no answer")
  func garbage() {
    #expect([UInt8]([0x1A, 0x05, 0x41]).withUnsafeBytes { Reflection.answer($0) } == nil)
    #expect([UInt8]([0x1A, 0x01, 0xFF]).withUnsafeBytes { Reflection.answer($0) } == nil)
    #expect([UInt8]([0x00]).withUnsafeBytes { Reflection.answer($0) } == nil)
  }
}
