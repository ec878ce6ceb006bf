// The head of a call over HTTP: which method, how its bodies are written, and what stands beside the request. The same for
// gRPC and Connect, over HTTP/2 and HTTP/1.1.

import HeddleCore

/// How a call's messages are written.
package enum CallProtocol: Equatable, Sendable {
  case grpc
  /// Connect, one message each way.
  case connectUnary(isJSON: Bool)
  /// Connect, messages behind prefixes.
  case connectStream(isJSON: Bool)

  /// By the content type, whose parameters do not count; nil: none that is spoken here.
  package init?(contentType: some StringProtocol) {
    let type = contentType.prefix { $0 != ";" }.trimmed.lowercased()
    switch type {
    case "application/grpc", "application/grpc+proto": self = .grpc
    case "application/json": self = .connectUnary(isJSON: true)
    case "application/proto": self = .connectUnary(isJSON: false)
    case "application/connect+json": self = .connectStream(isJSON: true)
    case "application/connect+proto": self = .connectStream(isJSON: false)
    default: return nil
    }
  }

  package var isJSON: Bool {
    switch self {
    case .grpc: false
    case .connectUnary(let isJSON), .connectStream(let isJSON): isJSON
    }
  }

  package var contentType: StaticString {
    switch self {
    case .grpc: "application/grpc"
    case .connectUnary(isJSON: true): "application/json"
    case .connectUnary(isJSON: false): "application/proto"
    case .connectStream(isJSON: true): "application/connect+json"
    case .connectStream(isJSON: false): "application/connect+proto"
    }
  }
}

/// The time that a call may take, as a client writes it.
package enum CallTimeout {
  /// A day: a longer one is taken as this.
  package static let longestMilliseconds: UInt64 = 24 * 3_600 * 1_000

  /// `grpc-timeout`: one to eight digits and a unit, rounded up to milliseconds; nil: it cannot be read.
  package static func grpc(_ text: some StringProtocol) -> UInt64? {
    guard let unit = Array(text.utf8).last, (2...9).contains(text.utf8.count), let count = digits(text.dropLast())
    else {
      return nil
    }
    switch unit {
    case UInt8(ascii: "H"): return min(longestMilliseconds, count * 3_600_000)
    case UInt8(ascii: "M"): return min(longestMilliseconds, count * 60_000)
    case UInt8(ascii: "S"): return min(longestMilliseconds, count * 1_000)
    case UInt8(ascii: "m"): return min(longestMilliseconds, count)
    case UInt8(ascii: "u"): return (count + 999) / 1_000
    case UInt8(ascii: "n"): return (count + 999_999) / 1_000_000
    default: return nil
    }
  }

  /// `connect-timeout-ms`: one to ten digits.
  package static func connect(_ text: some StringProtocol) -> UInt64? {
    guard (1...10).contains(text.utf8.count), let count = digits(text) else { return nil }
    return min(longestMilliseconds, count)
  }

  private static func digits(_ text: some StringProtocol) -> UInt64? {
    guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return UInt64(text)
  }
}

/// Methods by the path of their URL, `/heddle.v1.ThreadService/Read`.
package enum MethodPaths {
  package static let prefix = "/heddle.v1."
  package static let longestBytes = 256

  private static let methods: [String: Method] = Dictionary(
    Method.allCases.filter { $0 != .unspecified }.map { (prefix + $0.path, $0) },
    uniquingKeysWith: { first, _ in first })

  /// Nil: there is no such method.
  package static func method(_ path: String) -> Method? { methods[path] }
}

extension StringProtocol {
  /// Without blanks and tabs at both ends.
  package var trimmed: SubSequence {
    guard let first = firstIndex(where: { $0 != " " && $0 != "\t" }),
      let last = lastIndex(where: { $0 != " " && $0 != "\t" })
    else { return self[startIndex..<startIndex] }
    return self[first...last]
  }
}
