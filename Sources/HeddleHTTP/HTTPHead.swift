// Checks of a request's head that come before its route: sizes, Host and Origin.

import HeddleCore
import HeddleRPC
import NIOHTTP1

/// The head of a request, checked.
struct HTTPHead {
  let method: HTTPMethod
  /// Without the query.
  let path: String
  let query: [String: String]
  let headers: HTTPHeaders
  let keepsAlive: Bool

  /// Lines and bytes of a head.
  static let mostLines = 100
  static let mostBytes = 16 * 1_024

  enum Fault: Error, Equatable {
    case tooLarge
    case malformed
    case misdirected
    case foreignOrigin

    var status: HTTPResponseStatus {
      switch self {
      case .tooLarge: .requestHeaderFieldsTooLarge
      case .malformed: .badRequest
      case .misdirected: .misdirectedRequest
      case .foreignOrigin: .forbidden
      }
    }

    var text: String {
      switch self {
      case .tooLarge: "The request's head is larger than 16 KiB or 100 lines.\n"
      case .malformed: "The request is not valid HTTP/1.1.\n"
      case .misdirected: "This server does not serve the host of the request; add it to http.hosts.\n"
      case .foreignOrigin: "Pages of this origin may not call this server; add the origin to http.origins.\n"
      }
    }
  }

  init(_ head: HTTPRequestHead, isEncrypted: Bool, _ rules: HTTPRules) throws(Fault) {
    let bytes = head.uri.utf8.count + head.headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    guard head.headers.count <= Self.mostLines, bytes <= Self.mostBytes else { throw .tooLarge }
    guard head.version.major == 1, head.version.minor <= 1 else { throw .malformed }
    // A body whose end two readers see at different places (RFC 9112 section 6.1).
    let lengths = head.headers["content-length"]
    guard lengths.count < 2, lengths.isEmpty || head.headers["transfer-encoding"].isEmpty else { throw .malformed }
    let hosts = head.headers["host"]
    guard hosts.count == 1 || (hosts.isEmpty && head.version.minor == 0) else { throw .malformed }
    if let host = hosts.first, let known = rules.hosts {
      guard known.contains(Self.name(of: host)) else { throw .misdirected }
    }
    let origins = head.headers["origin"]
    guard origins.count < 2 else { throw .malformed }
    if let origin = origins.first?.lowercased(), !rules.origins.contains(origin) {
      let own = "\(isEncrypted ? "https" : "http")://\(hosts.first?.lowercased() ?? "")"
      guard origin == own else { throw .foreignOrigin }
    }
    method = head.method
    headers = head.headers
    keepsAlive = head.isKeepAlive
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    path = String(parts.first ?? "")
    query = parts.count == 2 ? Self.query(parts[1]) : [:]
  }

  /// The host without its port, in lower case.
  static func name(of host: String) -> String {
    let host = host.lowercased()
    if host.hasPrefix("["), let end = host.firstIndex(of: "]") {
      return String(host[host.index(after: host.startIndex)..<end])
    }
    return String(host.prefix { $0 != ":" })
  }

  /// Names and values of a query; nothing here needs percent-coding.
  private static func query(_ text: Substring) -> [String: String] {
    var found: [String: String] = [:]
    for pair in text.split(separator: "&") {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      found[String(parts[0])] = parts.count == 2 ? String(parts[1]) : ""
    }
    return found
  }
}
