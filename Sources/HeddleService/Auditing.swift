// Lines of the audit log about callers.

import HeddleCore
import HeddleJSON
import HeddleProtocol
import HeddleTokens

extension Method {
  /// Only operators may call it, or nothing brings back what it removes.
  var isAudited: Bool { isAdmin || self == .threadDelete }
}

extension ServerCore {
  /// Somebody showed a token or an identity that is not accepted.
  func auditRefusal(_ cause: TokenFault, from address: String) {
    audit?.note(
      AuditEvent(
        "refused",
        [
          ("subject", cause.concernsIdentity ? "identity" : "token"), ("cause", cause.rawValue), ("address", address),
        ], isStrangers: true), at: manager.clock.now())
  }

  /// An operator changed something beside all methods.
  package func auditChange(_ subject: String, _ value: String, by principal: Principal?, from address: String) {
    let members: [(String, String?)] = [("subject", subject), ("value", value)]
    audit?.note(AuditEvent("change", members + Self.words(principal, address)), at: manager.clock.now())
  }

  fileprivate static func words(_ principal: Principal?, _ address: String) -> [(String, String?)] {
    [
      ("tenant", principal?.tenant), ("name", principal?.name), ("via", principal?.via.rawValue), ("address", address),
    ]
  }
}

extension Caller {
  /// Writes down that a method runs now. A refusal: it must not run, because it could not be written down.
  func audit(_ log: AuditLog, _ request: Request) -> Refusal? {
    let method = request.method
    var members = ServerCore.words(principal, address).compactMap { name, text in
      text.map { JSONValue.Member(name, .text($0)) }
    }
    members.insert(JSONValue.Member("method", .text(method.path)), at: 0)
    // Texts of people and secrets are left out.
    let bytes = loop.codec.encode(request)
    if let shown = try? JSONTranscoder.value(bytes, schema: method.requestSchema, redact: true) {
      members.append(JSONValue.Member("request", shown))
    }
    let isWritten = log.note(AuditEvent("call", members), at: core.manager.clock.now())
    return isWritten || !log.isRequired ? nil : Refusal(.auditFailed)
  }

  /// Somebody asked for a method of operators and is none.
  func auditDenial(_ method: Method) {
    guard let log = core.audit else { return }
    let members: [(String, String?)] = [("subject", "method"), ("method", method.path)]
    log.note(
      AuditEvent("refused", members + ServerCore.words(principal, address), isStrangers: true),
      at: core.manager.clock.now())
  }
}
