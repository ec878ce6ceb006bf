// The settings of the HTTP door: the names by which a browser may reach it, and the pages that may talk to it. Both are
// looked at before any route.

import HeddleListener

/// The settings of the HTTP door.
public struct HTTPRules: Sendable {
  /// Names of hosts that are this server, beside the loopback names and the address that a connection came in by.
  public var hosts: Set<String> = []
  /// Origins whose pages may call this server, beside its own: `https://console.example.org`.
  public var origins: Set<String> = []
  /// Everybody may read the metrics.
  public var openMetrics = false
  /// Reads and changes the level of the log; nil: it cannot be changed.
  public var logLevel: LogLevelControl?

  public init() {}

  /// Whether this server answers to the name. A page of another site whose name is made to point here (DNS rebinding) sends
  /// its own name; it cannot send an address, so the address of the socket itself is always right (attacks.md H3).
  func accepts(host: String, localAddress: String?) -> Bool {
    guard let name = Self.name(inHost: host) else { return false }
    if DoorSecurity.isLoopback(name) || name == localAddress { return true }
    return hosts.contains(name)
  }

  /// Whether a page of this origin may call. An origin is compared as a whole: a prefix may be anybody's.
  func accepts(origin: String, host: String, isEncrypted: Bool) -> Bool {
    origin == (isEncrypted ? "https://" : "http://") + host.lowercased() || origins.contains(origin)
  }

  /// `example.org` of `Example.org:7422`; nil for a text that is no host.
  static func name(inHost host: String) -> String? {
    var name = host.lowercased()[...]
    if name.hasPrefix("[") {
      guard let end = name.firstIndex(of: "]") else { return nil }
      guard isPort(name[name.index(after: end)...]) else { return nil }
      name = name[name.index(after: name.startIndex)..<end]
    } else if let colon = name.firstIndex(of: ":") {
      guard isPort(name[colon...]) else { return nil }
      name = name[..<colon]
    }
    let isName = name.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || "-._:".utf8.contains($0)
    }
    return isName && !name.isEmpty ? String(name) : nil
  }

  static func isLoopback(_ address: String) -> Bool { DoorSecurity.isLoopback(address) }

  private static func isPort(_ text: Substring) -> Bool {
    guard let first = text.first else { return true }
    let digits = text.dropFirst()
    return first == ":" && (1...5).contains(digits.utf8.count)
      && digits.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}

/// The level of the server's log, which may change while it runs.
public struct LogLevelControl: Sendable {
  public var read: @Sendable () -> String
  /// False: there is no such level.
  public var change: @Sendable (String) -> Bool

  public init(read: @escaping @Sendable () -> String, change: @escaping @Sendable (String) -> Bool) {
    self.read = read
    self.change = change
  }
}
