// One request and its answer, while the connection works on it.

import HeddleCore
import HeddleRPC
import NIOCore
import NIOHTTP1

struct Exchange {
  /// The look of the answer.
  enum Form: Equatable {
    /// An answer of the door itself.
    case plain
    case unary(isJSON: Bool)
    case stream(isJSON: Bool)
    /// Server-sent events.
    case events
  }

  let head: HTTPRequestHead
  let route: Route
  let query: Substring
  /// The page of another site that sent it, if it may read the answer.
  var origin: String?
  /// An answer that is certain before the body has come.
  var early: HTTPResponse?
  /// That answer goes out so many milliseconds later.
  var waitMilliseconds: Int64 = 0
  var form = Form.plain
  var body = ByteBuffer()
  var bodyLimit = 0
  var bodyBytes = 0
  var isComplete = false
  /// The head of a stream of messages has gone out.
  var isStreaming = false
  /// The connection closes behind the answer.
  var closes: Bool
  /// The caller's stream; 0: nothing has been asked of a caller.
  var stream: UInt32 = 0
  let beganAt: Int64
  var lastByteAt: Int64

  init(_ head: HTTPRequestHead, at now: Int64) {
    self.head = head
    let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    route = Route(path: parts.first ?? "")
    query = parts.count == 2 ? parts[1] : ""
    closes = !head.isKeepAlive
    beganAt = now
    lastByteAt = now
  }

  var isHead: Bool { head.method == .HEAD }

  /// The value of a header that may stand once; `isTwice` if it stands more often.
  func header(_ name: String) -> (value: String?, isTwice: Bool) {
    let values = head.headers[name]
    return (values.first, values.count > 1)
  }
}
