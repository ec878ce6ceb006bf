// The headers that only Connect has (connectrpc.com/docs/protocol), the same over HTTP/2 and HTTP/1.1.

import HeddleCore

package struct ConnectHead {
  private var version: String?
  private var coding: String?
  private var streamCoding: String?
  private var timeout: String?

  package init() {}

  package init(version: String?, coding: String?, streamCoding: String?, timeout: String?) {
    self.version = version
    self.coding = coding
    self.streamCoding = streamCoding
    self.timeout = timeout
  }

  /// Takes one header by its name in lower case; false: it is none of Connect's.
  package mutating func take(_ name: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
    switch name.count {
    case 16 where name.equals("content-encoding"): coding = value.text
    case 18 where name.equals("connect-timeout-ms"): timeout = value.text
    case 24 where name.equals("connect-protocol-version"): version = value.text
    case 24 where name.equals("connect-content-encoding"): streamCoding = value.text
    default: return false
    }
    return true
  }

  /// Why a call is not served, as far as these headers tell. Connect's own code for a compression that is not spoken is
  /// UNIMPLEMENTED.
  package func refusal(isStream: Bool) -> (error: WireError, accept: StaticString?)? {
    if let version, version != "1" {
      return (Refusal(.unsupportedVersion, [("field", "connect-protocol-version")]).wire, nil)
    }
    guard let coding = isStream ? streamCoding : coding, coding.lowercased() != "identity" else { return nil }
    var error = Refusal(.unknownFlags, [("field", "content-encoding")]).wire
    error.code = .unimplemented
    return (error, isStream ? "connect-accept-encoding" : "accept-encoding")
  }

  /// The time that the call may take; nil: as long as it likes.
  package var deadlineMilliseconds: Result<UInt64?, Refusal> {
    guard let timeout else { return .success(nil) }
    guard let milliseconds = CallTimeout.connect(timeout) else {
      return .failure(Refusal(.outOfRange, [("field", "connect-timeout-ms")]))
    }
    return milliseconds > 0 ? .success(milliseconds) : .failure(Refusal(.deadlineExceeded))
  }
}
