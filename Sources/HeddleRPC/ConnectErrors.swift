// Errors as Connect writes them (connectrpc.com, "Connect Protocol": Error Codes, Unary-Response, EndStreamMessage).

import HeddleCore
import HeddleJSON
import HeddleProtocol

package enum ConnectErrors {
  /// The code's name and the status of HTTP for it.
  package static func names(_ code: Code) -> (name: String, status: Int) {
    switch code {
    case .cancelled: ("canceled", 499)
    case .invalidArgument: ("invalid_argument", 400)
    case .deadlineExceeded: ("deadline_exceeded", 504)
    case .notFound: ("not_found", 404)
    case .alreadyExists: ("already_exists", 409)
    case .permissionDenied: ("permission_denied", 403)
    case .resourceExhausted: ("resource_exhausted", 429)
    case .failedPrecondition: ("failed_precondition", 400)
    case .aborted: ("aborted", 409)
    case .outOfRange: ("out_of_range", 400)
    case .unimplemented: ("unimplemented", 501)
    case .internal: ("internal", 500)
    case .unavailable: ("unavailable", 503)
    case .dataLoss: ("data_loss", 500)
    case .unauthenticated: ("unauthenticated", 401)
    default: ("unknown", 500)
    }
  }

  /// `{"code": …, "message": …, "details": […]}`.
  package static func json(_ error: WireError) -> JSONValue {
    var members = [JSONValue.Member("code", .text(names(error.code).name))]
    if !error.message.isEmpty { members.append(JSONValue.Member("message", .text(error.message))) }
    let details = StatusDetails(error).details.map { detail in
      JSONValue.object([
        JSONValue.Member("type", .text("google.rpc.\(detail.type)")),
        JSONValue.Member("value", .text(unpadded(detail.value))),
      ])
    }
    if !error.reason.isEmpty { members.append(JSONValue.Member("details", .list(details))) }
    return .object(members)
  }

  /// The last message of a stream.
  package static func endOfStream(_ error: WireError?) -> String {
    guard let error else { return "{}" }
    return JSONValue.object([JSONValue.Member("error", json(error))]).written()
  }

  private static func unpadded(_ bytes: [UInt8]) -> String {
    var text = Base64.text(bytes)
    while text.last == "=" { text.removeLast() }
    return text
  }
}

/// Messages of calls whose bodies are JSON.
package enum CallJSON {
  /// As deep as messages may be nested, and no longer than a frame.
  private static func rules(_ limits: Limits) -> JSONRules {
    var rules = JSONRules(isStrict: true, depth: limits.nesting, bytes: Int(limits.frameBytes))
    rules.lastMemberWins = true
    return rules
  }

  /// The bytes of a message that is written as JSON.
  package static func wire(_ text: [UInt8], schema: UInt16, _ limits: Limits) -> Result<[UInt8], Refusal> {
    do throws(JSONError) {
      var parser = JSONParser(text, rules: rules(limits))
      // An empty body is an empty message.
      let value = text.isEmpty ? JSONValue.object([]) : try parser.document()
      return .success(try JSONTranscoder.wire(value, schema: schema, style: .canonical))
    } catch { return .failure(refusal(error, limits)) }
  }

  private static func refusal(_ error: JSONError, _ limits: Limits) -> Refusal {
    let place: (String, String) =
      switch error.place {
      case .offset(let offset): ("byte", "\(offset)")
      case .path(let path): ("field", path)
      }
    let facts = [place, ("problem", error.message.prefix(utf8Bytes: 512))]
    switch error.kind {
    case .tooDeep: return Refusal(.tooDeep, [("limit", "\(limits.nesting)")])
    case .invalidText: return Refusal(.invalidUtf8, [place])
    case .outOfRange: return Refusal(.outOfRange, facts)
    case .other: return Refusal(.malformed, facts)
    }
  }

  /// A message as JSON.
  package static func text(_ bytes: [UInt8], schema: UInt16) -> String {
    let value = try? JSONTranscoder.value(bytes, schema: schema, style: .canonical)
    return value?.written() ?? "{}"
  }
}
