// The notices that systemd gets of the server, `sd_notify` by hand: the protocol is a line of text in a datagram, and libsystemd
// would be there for that alone. Without $NOTIFY_SOCKET nothing is sent.

import Glibc

struct Supervisor: Sendable {
  /// A notice to the supervisor.
  enum Notice: Sendable {
    /// Requests are served.
    case ready(String)
    case reloading
    case reloaded
    case stopping(String)
    /// Every event loop has answered.
    case alive

    var text: String {
      switch self {
      case .ready(let status): "READY=1\nSTATUS=\(status)"
      case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(Supervisor.monotonicMicroseconds)"
      case .reloaded: "READY=1"
      case .stopping(let status): "STOPPING=1\nSTATUS=\(status)"
      case .alive: "WATCHDOG=1"
      }
    }
  }

  private let socket: String?
  /// Half of the time after which systemd takes a silent server for a hung one; nil: it does not ask.
  let heartbeat: Duration?

  init(_ environment: (String) -> String? = environment) {
    socket = environment("NOTIFY_SOCKET").flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
    let isMeant = environment("WATCHDOG_PID").map { $0 == "\(getpid())" } ?? true
    let microseconds = environment("WATCHDOG_USEC").flatMap(Int64.init) ?? 0
    heartbeat = isMeant && microseconds > 1 ? .microseconds(microseconds / 2) : nil
  }

  /// A supervisor that cannot be told is not a reason to end.
  func tell(_ notice: Notice) {
    guard let socket, var address = Self.address(socket) else { return }
    let descriptor = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    // systemd takes datagrams as they come; one that is stuck must not hold the server.
    var patience = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let length = socklen_t(MemoryLayout<sa_family_t>.size + min(socket.utf8.count, Self.longestPath))
    let text = Array(notice.text.utf8)
    _ = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        sendto(descriptor, text, text.count, Int32(MSG_NOSIGNAL), $0, length)
      }
    }
  }

  /// `.alive` at half of the time that systemd allows, and only while each loop answers: a loop that hangs holds
  /// `loopsAnswer`, and systemd ends the process.
  func watch(_ loopsAnswer: @Sendable () async -> Void) async {
    guard let heartbeat else { return }
    repeat {
      await loopsAnswer()
      tell(.alive)
    } while (try? await Task.sleep(for: heartbeat)) != nil
  }

  private static let longestPath = MemoryLayout.size(ofValue: sockaddr_un().sun_path)

  /// `@` begins an address without a file; there it stands for a zero.
  private static func address(_ path: String) -> sockaddr_un? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    var bytes = Array(path.utf8)
    guard bytes.count < longestPath else { return nil }
    if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return address
  }

  private static var monotonicMicroseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
