// The request of a call from the body of an HTTP request: JSON or wire bytes, bare or behind a prefix.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleRPC
import NIOCore

enum ConnectBody {
  /// The wire bytes of a request that is written as JSON.
  static func wire(json: ByteBuffer, _ method: Method, _ limits: Limits) -> Result<ByteBuffer, Refusal> {
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
      return .failure(refusal(error, bytes, limits))
    }
  }

  static func tooLarge(_ limits: Limits) -> Refusal { Refusal(.frameTooLarge, [("limit", "\(limits.frameBytes)")]) }

  /// The reasons of attacks.md H4.
  private static func refusal(_ error: JSONError, _ bytes: [UInt8], _ limits: Limits) -> Refusal {
    switch error.place {
    case .path(let path): return Refusal(.malformed, [("field", String((error.member ?? path).prefix(256)))])
    case .offset(let offset):
      if isDeeper(bytes, than: limits.nesting) { return Refusal(.tooDeep) }
      if error.message.contains("surrogate") { return Refusal(.invalidUtf8, [("byte", "\(offset)")]) }
      return Refusal(.malformed, [("byte", "\(offset)")])
    }
  }

  /// Whether lists and objects stand in each other beyond the limit.
  static func isDeeper(_ bytes: [UInt8], than limit: Int) -> Bool {
    var (depth, isText, isEscaped) = (0, false, false)
    for byte in bytes {
      if isEscaped {
        isEscaped = false
      } else if isText {
        if byte == UInt8(ascii: "\\") { isEscaped = true } else if byte == UInt8(ascii: "\"") { isText = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"), UInt8(ascii: "["):
          depth += 1
          if depth > limit { return true }
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        default: break
        }
      }
    }
    return false
  }

  /// The one message of a stream's request (attacks.md H5).
  static func message(_ body: ByteBuffer, _ limits: Limits) -> Result<ByteBuffer, Refusal> {
    var reader = MessageReader(maximumBytes: Int(limits.frameBytes))
    if let fault = body.withUnsafeReadableBytes({ reader.append($0) }) {
      return .failure(fault.refusal(limit: Int(limits.frameBytes)))
    }
    do throws(MessageReader.Fault) { return .success(try reader.finish()) } catch {
      return .failure(error.refusal(limit: Int(limits.frameBytes)))
    }
  }
}
