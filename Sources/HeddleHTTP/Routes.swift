// The table of routes.

import HeddleCore
import HeddleRPC
import NIOHTTP1

/// The destination of a request, by its path alone.
enum Route: Equatable {
  case live
  case ready
  case metrics
  case call(Method)
  /// A path of a call that no method has.
  case unknownMethod
  case events(ThreadID)
  /// A WebSocket that carries frames.
  case frames
  case state
  case logLevel
  case root
  case nothing

  /// Paths are compared as they stand: `/../metrics` and `/%6detrics` are no route (attacks.md H7).
  init(path: Substring) {
    switch path {
    case "/livez", "/healthz": self = .live
    case "/readyz": self = .ready
    case "/metrics": self = .metrics
    case "/debug/state": self = .state
    case "/debug/log-level": self = .logLevel
    case "/frames": self = .frames
    case "/": self = .root
    default:
      if path.hasPrefix(MethodPaths.prefix) {
        self = MethodPaths.method(String(path)).map { .call($0) } ?? .unknownMethod
      } else if let thread = Self.thread(path) {
        self = .events(thread)
      } else {
        self = .nothing
      }
    }
  }

  /// `/v1/threads/{id}/events`
  private static func thread(_ path: Substring) -> ThreadID? {
    let (prefix, suffix) = ("/v1/threads/", "/events")
    guard path.hasPrefix(prefix), path.hasSuffix(suffix), path.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { return nil }
    return ThreadID(String(path.dropFirst(prefix.count).dropLast(suffix.count)))
  }

  /// As `Allow` lists them.
  var allowed: String {
    switch self {
    case .call, .unknownMethod: "POST"
    case .logLevel: "GET, HEAD, PUT"
    case .events, .frames: "GET"
    case .live, .ready, .metrics, .state, .root, .nothing: "GET, HEAD"
    }
  }

  func allows(_ method: HTTPMethod) -> Bool { allowed.split(separator: ", ").contains { $0 == method.rawValue } }

  /// Strangers get an answer.
  var isProbe: Bool { self == .live || self == .ready }
}

/// The parameters behind the `?`.
enum Query {
  /// Nil: it cannot be read. The last of a name counts.
  static func parameters(_ query: Substring) -> [String: String]? {
    var parameters: [String: String] = [:]
    for part in query.split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard let name = pair.first, !name.isEmpty else { return nil }
      let value = pair.count == 2 ? pair[1] : ""
      // No value that is known here needs an escape.
      guard !part.contains("%"), !part.contains("+") else { return nil }
      parameters[String(name)] = String(value)
    }
    return parameters
  }
}
