// The change of a connection from HTTP to frames: the request that asks for it, the answer, and the handlers that follow.
//
// WebSocket.S1  Host and Origin are checked before, as for every request: no other site's page gets a socket.
// WebSocket.S2  No identity is needed yet: the token is in the HELLO, because browsers send no header with a WebSocket.
// WebSocket.S3  A client that sends more before it has the answer breaks RFC 6455, and the connection closes.

import Crypto
import Foundation
import HeddleCore
import HeddleListener
import HeddleRPC
import HeddleService
import NIOCore
import NIOHTTP1

enum WebSocketHandshake {
  static let subprotocol = "heddle.v1"

  /// Why the request is not answered with 101; nil: it will be.
  static func refusal(_ head: HTTPRequestHead) -> HTTPResponse? {
    let headers = head.headers
    guard head.version.minor > 0, headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
      headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
    else { return upgradeRequired("Frames come by WebSocket: send Upgrade: websocket with HTTP/1.1.") }
    guard headers["sec-websocket-version"] == ["13"] else {
      return upgradeRequired("WebSocket version 13 is spoken here.")
    }
    guard accept(head) != nil else { return HTTPResponse(400, text: "Sec-WebSocket-Key needs 16 bytes in base64.") }
    guard headers[canonicalForm: "sec-websocket-protocol"].contains(where: { $0 == subprotocol }) else {
      return HTTPResponse(400, text: "Ask for the subprotocol \(subprotocol).")
    }
    guard !headers.contains(name: "transfer-encoding"), headers.first(name: "content-length") ?? "0" == "0" else {
      return HTTPResponse(400, text: "A request for a WebSocket has no body.")
    }
    return nil
  }

  private static func upgradeRequired(_ text: String) -> HTTPResponse {
    var response = HTTPResponse(426, text: text)
    response.headers = [("upgrade", "websocket"), ("sec-websocket-version", "13")]
    return response
  }

  /// The proof that the server has understood the request.
  private static func accept(_ head: HTTPRequestHead) -> String? {
    let keys = head.headers["sec-websocket-key"]
    guard keys.count == 1, keys[0].utf8.count == 24, Data(base64Encoded: keys[0])?.count == 16 else { return nil }
    let text = keys[0] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    return Data(Insecure.SHA1.hash(data: Array(text.utf8))).base64EncodedString()
  }

  static func answer(_ head: HTTPRequestHead, to out: inout ByteBuffer) {
    out.writeStaticString("HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n")
    HTTPHeadWriter.header(&out, "sec-websocket-protocol", subprotocol)
    HTTPHeadWriter.header(&out, "sec-websocket-accept", accept(head) ?? "")
    out.writeStaticString("\r\n")
  }
}

extension HTTPConnection {
  /// Why no WebSocket is opened; nil: it will be.
  func frameRefusal(_ head: HTTPRequestHead) -> HTTPResponse? {
    guard shared.frames != nil else { return HTTPResponse(404, text: "There is nothing here.") }
    if let refusal = WebSocketHandshake.refusal(head) { return refusal }
    if core.isDraining { return ConnectErrors.response(Refusal(.shuttingDown).wire) }
    if case .failure(let refusal) = framePeer(head) { return ConnectErrors.response(refusal.wire) }
    return nil
  }

  /// The peer of the connection of frames: a trusted proxy may name the client in the request.
  private func framePeer(_ head: HTTPRequestHead) -> Result<Peer, Refusal> {
    let (xfcc, l5d) = (head.headers["x-forwarded-client-cert"], head.headers["l5d-client-id"])
    return peer.identity(xfcc: xfcc, l5dClientID: l5d).map {
      var peer = peer
      peer.identity = $0
      return peer
    }
  }

  /// The request is there as a whole. The parser is in the middle of it, so the handlers change behind it.
  func switchToFrames(_ head: HTTPRequestHead) {
    guard case .success(let peer) = framePeer(head) else { return refuse(.malformed) }
    isSwitching = true
    loop.context.eventLoop.execute { self.becomeFrames(peer, head) }
  }

  /// Nothing may stand behind the head in the bytes that brought its end, which may be all or some of the empty line.
  func switchEnds(behind bytes: ByteBuffer) {
    let end = bytes.readableBytesView.suffix(4)
    if end.elementsEqual("\r\n\r\n".utf8.suffix(end.count)) { return }
    isSwitching = false
    refuse(.malformed)
  }

  private func becomeFrames(_ peer: Peer, _ head: HTTPRequestHead) {
    guard let channel, !isClosing, let frames = shared.frames else { return }
    var answer = output
    WebSocketHandshake.answer(head, to: &answer)
    metrics.sentBytes.add(answer.readableBytes)
    // From here on this connection is none of HTTP: the other one counts it.
    leave()
    let pipeline = channel.pipeline.syncOperations
    EventLoopFuture.andAllSucceed(parsers.map { pipeline.removeHandler($0) }, on: loop.context.eventLoop)
      .assumeIsolated().whenComplete { _ in
        guard channel.channel.isActive else { return }
        do {
          let gate = WebSocketGate(self.core.limits, self.core.manager.clock)
          try pipeline.addHandlers([gate, frames(peer, self.loop)], position: .after(self))
          channel.writeAndFlush(self.wrapOutboundOut(answer), promise: nil)
          channel.fireChannelActive()
          pipeline.removeHandler(self, promise: nil)
          // This handler may have kept a read back.
          channel.channel.read()
        } catch {
          channel.close(promise: nil)
        }
      }
  }
}
