// The bodies of Connect's calls, the same over HTTP/2 and HTTP/1.1: JSON or wire bytes, bare or behind a prefix.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import NIOCore

package enum ConnectBody {
  /// The wire bytes of a request that is written as JSON.
  package static func wire(json: ByteBuffer, _ method: Method, _ limits: Limits) -> Result<ByteBuffer, Refusal> {
    let bytes = Array(json.readableBytesView)
    guard String(validating: bytes, as: UTF8.self) != nil else { return .failure(Refusal(.invalidUtf8)) }
    // An empty body is an empty message: `curl -X POST` sends one.
    guard !bytes.isEmpty else { return .success(ByteBuffer()) }
    do throws(JSONError) {
      let rules = JSONRules(isStrict: true, depth: limits.nesting, bytes: bytes.count, mayRepeatNames: true)
      var parser = JSONParser(bytes, rules: rules)
      let value = try parser.document()
      let wire = try JSONTranscoder.wire(value, schema: method.requestSchema, style: .canonical)
      guard wire.count <= Int(limits.frameBytes) else { return .failure(tooLarge(limits)) }
      return .success(ByteBuffer(bytes: wire))
    } catch {
      return .failure(refusal(error))
    }
  }

  package static func tooLarge(_ limits: Limits) -> Refusal {
    Refusal(.frameTooLarge, [("limit", "\(limits.frameBytes)")])
  }

  /// The reasons of attacks.md H4.
  private static func refusal(_ error: JSONError) -> Refusal {
    switch (error.kind, error.place) {
    case (.tooDeep, _): return Refusal(.tooDeep)
    case (.surrogate, .offset(let offset)): return Refusal(.invalidUtf8, [("byte", "\(offset)")])
    case (_, .offset(let offset)): return Refusal(.malformed, [("byte", "\(offset)")])
    case (_, .path(let path)): return Refusal(.malformed, [("field", String((error.member ?? path).prefix(256)))])
    }
  }

  /// The one message of a stream's request (attacks.md H5).
  package static func message(_ body: ByteBuffer, _ limits: Limits) -> Result<ByteBuffer, Refusal> {
    var reader = MessageReader(maximumBytes: Int(limits.frameBytes))
    if let fault = body.withUnsafeReadableBytes({ reader.append($0) }) {
      return .failure(fault.refusal(limit: Int(limits.frameBytes)))
    }
    do throws(MessageReader.Fault) { return .success(try reader.finish()) } catch {
      return .failure(error.refusal(limit: Int(limits.frameBytes)))
    }
  }

  /// A message of an answer as JSON; nil: it cannot be written.
  package static func json(_ bytes: [UInt8], _ schema: UInt16) -> [UInt8]? {
    (try? JSONTranscoder.value(bytes, schema: schema, style: .canonical)).map { Array($0.written().utf8) }
  }

  /// A message of a stream behind its prefix. Flags 2: the last one, which says how the stream ended.
  package static func envelope(_ bytes: [UInt8], flags: UInt8) -> [UInt8] {
    let length = UInt32(clamping: bytes.count)
    return [flags] + (0..<4).map { UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * $0)) } + bytes
  }
}
