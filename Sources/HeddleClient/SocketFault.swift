// Why there is no connection, in words for people. What NIO throws names functions of its own and numbers of errors.

import Foundation
import NIOCore
import NIOPosix

public enum SocketFault {
  /// `Connection refused`, `Name or service not known`.
  public static func words(_ error: any Error) -> String {
    switch error {
    case let error as IOError: String(cString: strerror(error.errnoCode))
    case let error as NIOConnectionError: words(error)
    case is SocketAddressError.UnknownHost: "the name of the host is not known"
    case ChannelError.connectTimeout: "no answer in time"
    default: "the network failed"
    }
  }

  /// Of all addresses that were tried the last one's, or why the name was not found.
  private static func words(_ error: NIOConnectionError) -> String {
    if let last = error.connectionErrors.last { return words(last.error) }
    return error.dnsAError != nil || error.dnsAAAAError != nil ? "the name of the host is not known" : "no address"
  }
}
