// The head of a call, header by header.

import HeddleCore
import HeddleRPC

struct GRPCHead {
  private(set) var bytes = 0
  private(set) var isPost = false
  private(set) var path: [UInt8] = []
  /// How its bodies are written; nil: in no way that is spoken here.
  private(set) var form: CallProtocol?
  private(set) var isCompressed = false
  var metadata = CallMetadata()
  private(set) var connect = ConnectHead()

  /// Takes one header. Beyond `limit` bytes nothing is kept (RFC 9113 section 6.5.2 counts 32 for each pair).
  mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer, limit: Int) {
    bytes += name.count + value.count + 32
    guard bytes <= limit else { return }
    switch name.count {
    case 7 where name.equals(":method"): isPost = value.equals("POST")
    case 5 where name.equals(":path"): if value.count <= MethodPaths.longestBytes { path = Array(value) }
    case 12 where name.equals("content-type"):
      form = CallProtocol(contentType: String(decoding: value, as: UTF8.self))
    case 12 where name.equals("grpc-timeout"):
      let timeout = CallTimeout.grpc(String(decoding: value, as: UTF8.self))
      guard let timeout else { return metadata.refuse(Refusal(.outOfRange, [("field", "grpc-timeout")])) }
      if timeout == 0 { return metadata.refuse(Refusal(.deadlineExceeded)) }
      metadata.deadlineMilliseconds = timeout
    case 13 where name.equals("grpc-encoding"): isCompressed = !value.equals("identity")
    default: if !metadata.take(name, value) { _ = connect.take(name, value) }
    }
  }
}
