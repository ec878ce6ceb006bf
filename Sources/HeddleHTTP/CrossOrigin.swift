// Pages of other sites that may call: `http.origins`. A browser asks before it sends such a call (a preflight), and shows the
// page an answer only if the server allows it (https://fetch.spec.whatwg.org/#http-cors-protocol).

import NIOCore
import NIOHTTP1

enum CrossOrigin {
  /// Headers that a page may send.
  private static let requestHeaders =
    "authorization, content-type, connect-protocol-version, connect-timeout-ms, heddle-idempotency-key-bin, "
    + "last-event-id, traceparent, tracestate, x-request-id"

  /// The answer to a browser that asks whether a page may call; nil: it is another request.
  static func preflight(_ exchange: Exchange) -> HTTPResponse? {
    guard exchange.origin != nil, exchange.head.headers.contains(name: "access-control-request-method") else {
      return nil
    }
    switch exchange.route {
    // A socket needs no preflight, and there is nothing behind the others for a page.
    case .frames, .root, .nothing: return nil
    case .live, .ready, .metrics, .call, .unknownMethod, .events, .state, .logLevel: break
    }
    var response = HTTPResponse(204)
    response.headers = [
      ("access-control-allow-methods", exchange.route.allowed), ("access-control-allow-headers", requestHeaders),
      ("access-control-max-age", "7200"),
    ]
    return response
  }

  /// The page may read the answer, and the headers that an error has. Tokens are headers, not cookies, so credentials of a
  /// browser are never asked for.
  static func allow(_ origin: String, _ out: inout ByteBuffer) {
    HTTPHeadWriter.header(&out, "access-control-allow-origin", origin)
    out.writeStaticString("vary: origin\r\naccess-control-expose-headers: heddle-reason, retry-after\r\n")
  }
}
