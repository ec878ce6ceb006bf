// Sockets on which systemd, or another parent, listens for the server (`sd_listen_fds`): $LISTEN_FDS of them, from
// descriptor 3, each with the name of a door in $LISTEN_FDNAMES. They stay open while the server is replaced, so that
// clients who come meanwhile wait for the next one instead of being refused.

import Glibc

struct InheritedSocket: Sendable {
  let descriptor: CInt
  /// The address that it is bound to; rules about open addresses hold for it as for one that is configured.
  let address: ServerAddress
}

enum InheritedSockets {
  private static let first: CInt = 3
  /// In this order where the parent gives no names.
  private static let doors = ["listen", "grpc", "http"]

  /// By door. Sockets that are meant for another process are not touched.
  static func taken(_ environment: (String) -> String? = environment) throws(SettingError) -> [String: InheritedSocket]
  {
    guard let count = environment("LISTEN_FDS").flatMap(CInt.init), count > 0,
      environment("LISTEN_PID") == "\(getpid())"
    else { return [:] }
    let names = environment("LISTEN_FDNAMES").map { $0.split(separator: ":").map(String.init) } ?? doors
    var sockets: [String: InheritedSocket] = [:]
    for index in 0..<Int(min(count, 1_024)) {
      let descriptor = first + CInt(index)
      _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
      guard index < names.count, doors.contains(names[index]) else {
        throw SettingError(
          description: "socket \(index + 1) from the supervisor: `\(index < names.count ? names[index] : "")` is no "
            + "door; give it FileDescriptorName=listen, grpc or http")
      }
      guard sockets[names[index]] == nil else {
        throw SettingError(description: "two sockets from the supervisor are named `\(names[index])`; give it one")
      }
      guard let address = listeningAddress(descriptor) else {
        throw SettingError(
          description: "the socket `\(names[index])` from the supervisor does not listen on TCP; use ListenStream= "
            + "with a port, and Accept=no")
      }
      sockets[names[index]] = InheritedSocket(descriptor: descriptor, address: address)
    }
    return sockets
  }

  /// Nil unless it is a TCP socket that listens.
  private static func listeningAddress(_ descriptor: CInt) -> ServerAddress? {
    var listens: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) == 0, listens != 0 else { return nil }
    var storage = sockaddr_storage()
    size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
    let isKnown = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        getsockname(descriptor, $0, &size) == 0
          && [AF_INET, AF_INET6].contains(Int32($0.pointee.sa_family))
          && getnameinfo(
            $0, size, &host, socklen_t(host.count), &port, socklen_t(port.count), NI_NUMERICHOST | NI_NUMERICSERV) == 0
      }
    }
    guard isKnown, let number = Int(text(port)) else { return nil }
    return ServerAddress(host: text(host), port: number)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }
}
