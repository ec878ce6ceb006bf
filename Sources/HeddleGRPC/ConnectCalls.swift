// Calls in the Connect protocol over HTTP/2. They are read, seated and served as calls of gRPC are; only their heads, the
// shape of their bodies and their ends differ.

import CNghttp2
import HeddleCore
import HeddleProtocol
import HeddleRPC
import NIOCore

extension CallProtocol {
  /// The head of an answer that is no error of a unary call.
  var responseHeaders: UnsafeBufferPointer<nghttp2_nv> {
    switch self {
    case .grpc: GRPCHeaders.response
    case .connectUnary(isJSON: true): GRPCHeaders.connectJSON
    case .connectUnary(isJSON: false): GRPCHeaders.connectProto
    case .connectStream(isJSON: true): GRPCHeaders.streamJSON
    case .connectStream(isJSON: false): GRPCHeaders.streamProto
    }
  }
}

extension GRPCConnection {
  private static let unaryTypes = "application/json, application/proto"
  private static let streamTypes = "application/connect+json, application/connect+proto"
  static let accepted = "application/grpc, \(unaryTypes), \(streamTypes)"

  /// Reads the parts of a head that only Connect has; false: the call has been answered.
  func takeConnect(_ call: GRPCCall, _ form: CallProtocol) -> Bool {
    guard case .method(let method) = call.target else {
      call.respond(status: "415", [("accept-post", "application/grpc")])
      return false
    }
    let isStream = method == .threadSubscribe
    let limit = Int(core.limits.frameBytes)
    switch form {
    case .connectStream where isStream: break
    // JSON takes more room than the bytes that it stands for.
    case .connectUnary(let isJSON) where !isStream:
      call.reader = MessageReader(maximumBytes: isJSON ? 2 * limit : limit, isBare: true)
    case .grpc, .connectUnary, .connectStream:
      call.respond(status: "415", [("accept-post", isStream ? Self.streamTypes : Self.unaryTypes)])
      return false
    }
    if let (error, accept) = call.head.connect.refusal(isStream: isStream) {
      call.accepts = accept
      metrics.refused(error.code == .unimplemented ? .unknownFlags : .unsupportedVersion)
      call.fail(error)
      return false
    }
    switch call.head.connect.deadlineMilliseconds {
    case .success(let milliseconds): call.head.metadata.deadlineMilliseconds = milliseconds
    case .failure(let refusal): call.head.metadata.refuse(refusal)
    }
    return true
  }
}

extension GRPCCall {
  /// From gRPC's bytes of a message to the call's own; false: the message cannot be written, and the call has ended.
  func reshape(_ bytes: inout ByteBuffer) -> Bool {
    let isUnary: Bool
    switch form {
    case .grpc, .connectStream(isJSON: false): return true
    case .connectStream(isJSON: true): isUnary = false
    case .connectUnary: isUnary = true
    }
    bytes.moveReaderIndex(forwardBy: MessageReader.prefixBytes)
    guard form.isJSON else { return true }
    guard case .method(let method) = target,
      let json = ConnectBody.json(
        Array(bytes.readableBytesView), isUnary ? method.responseSchema : SubscriptionEvent.schemaIndex)
    else {
      fail(Refusal(.internal).wire)
      return false
    }
    bytes = ByteBuffer(bytes: isUnary ? json : ConnectBody.envelope(json, flags: 0))
    return true
  }

  /// The end of a call: an error instead of a unary answer, or the last message of a stream.
  func endConnect(_ how: Ending) {
    var error: WireError?
    if case .failure(let failure) = how { error = failure }
    if case .connectStream = form {
      var last = ByteBuffer(bytes: ConnectBody.envelope(ConnectErrors.end(error), flags: 2))
      append(&last)
      if !hasHeaders { connection.session?.submitResponse(id, form.responseHeaders, hasBody: true) }
    } else if let error, !hasHeaders {
      var body = ByteBuffer(bytes: ConnectErrors.body(error))
      append(&body)
      var pairs = [(":status", String(ConnectErrors.status(error.code))), ("content-type", "application/json")]
      pairs += ConnectErrors.headers(error).map { ("\($0.name)", $0.value) }
      if let accepts { pairs.append(("\(accepts)", "identity")) }
      GRPCHeaders.with(pairs.map { ($0.0, Array($0.1.utf8)) }) {
        connection.session?.submitResponse(id, $0, hasBody: true)
      }
    }
    hasHeaders = true
    finish(.success)
  }
}
