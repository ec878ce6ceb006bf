// Answers as bytes: head and body in one piece, so that one write brings both.

import HeddleCore
import HeddleRPC
import NIOCore

/// An answer that is complete.
struct HTTPResponse {
  var status: Int
  var contentType: StaticString = "text/plain; charset=utf-8"
  var headers: [(name: StaticString, value: String)] = []
  var body: [UInt8] = []

  init(_ status: Int, _ contentType: StaticString = "text/plain; charset=utf-8", _ body: [UInt8] = []) {
    self.status = status
    self.contentType = contentType
    self.body = body
  }

  init(_ status: Int, text: String) { self.init(status, "text/plain; charset=utf-8", Array((text + "\n").utf8)) }

  /// `isHead`: the request was HEAD, so the body only counts. `origin`: the page of another site that may read the answer.
  func write(to out: inout ByteBuffer, isHead: Bool, closes: Bool, origin: String?) {
    HTTPHeadWriter.begin(&out, status, contentType)
    for header in headers { HTTPHeadWriter.header(&out, header.name, header.value) }
    if let origin { CrossOrigin.allow(origin, &out) }
    if status != 204 { HTTPHeadWriter.header(&out, "content-length", String(body.count)) }
    if closes { out.writeStaticString("connection: close\r\n") }
    out.writeStaticString("\r\n")
    if !isHead { out.writeBytes(body) }
  }
}

extension ConnectErrors {
  /// The whole answer to a unary call.
  static func response(_ error: WireError) -> HTTPResponse {
    var response = HTTPResponse(status(error.code), "application/json", body(error))
    response.headers = headers(error)
    return response
  }
}

/// Writes heads of answers. No header holds text of a peer, but for an origin that is one of the settings.
enum HTTPHeadWriter {
  static func begin(_ out: inout ByteBuffer, _ status: Int, _ contentType: StaticString) {
    out.writeString("HTTP/1.1 \(status) \(phrase(status))\r\n")
    out.writeStaticString("content-type: ")
    out.writeStaticString(contentType)
    out.writeStaticString("\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n")
  }

  static func header(_ out: inout ByteBuffer, _ name: StaticString, _ value: String) {
    out.writeStaticString(name)
    out.writeStaticString(": ")
    out.writeString(value)
    out.writeStaticString("\r\n")
  }

  private static func phrase(_ status: Int) -> StaticString {
    switch status {
    case 100: "Continue"
    case 200: "OK"
    case 204: "No Content"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 413: "Content Too Large"
    case 415: "Unsupported Media Type"
    case 421: "Misdirected Request"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 499: "Client Closed Request"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    default: "Unknown"
    }
  }
}
