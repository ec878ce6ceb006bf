// The URL of a server: heddle://host[:7420][,host…]?tls=on&ca=file&cert=file&key=file&name=host.

import Foundation

extension ClientConfiguration {
  /// Reads a URL; nil: HEDDLE_URL of the environment, or the server on this machine. A URL holds no token.
  public init(url: String?) throws(HeddleError) {
    self.init()
    let text = url ?? ProcessInfo.processInfo.environment["HEDDLE_URL"] ?? ""
    try read(text.isEmpty ? "heddle://127.0.0.1" : text)
  }

  private mutating func read(_ text: String) throws(HeddleError) {
    let isImplied = text.hasPrefix("heddles://")
    guard isImplied || text.hasPrefix("heddle://"), let colon = text.firstIndex(of: ":") else {
      throw Self.wrong("a URL of Heddle begins with heddle:// or heddles://, not as `\(text.prefix(40))`")
    }
    let parts = text[colon...].dropFirst(3).split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var places = parts[0]
    if places.hasSuffix("/") { places.removeLast() }
    guard !places.contains("/"), !places.contains("@") else {
      throw Self.wrong("a URL of Heddle has no path and no user: pass a token in code or as HEDDLE_TOKEN")
    }
    hosts = []
    for place in places.split(separator: ",", omittingEmptySubsequences: false) { hosts.append(try Self.host(place)) }
    tls = try Self.security(parts.count > 1 ? parts[1] : "", isImplied)
  }

  private static func security(_ query: Substring, _ isImplied: Bool) throws(HeddleError) -> ClientTLS? {
    var found = ClientTLS()
    var isWanted = isImplied
    var choice = ""
    for option in query.split(separator: "&") {
      let pair = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = (pair.count > 1 ? String(pair[1]) : "").removingPercentEncoding ?? ""
      switch pair[0] {
      case "tls": choice = value
      case "ca": found.authorities = value
      case "cert": found.certificate = value
      case "key": found.key = value
      case "name": found.serverName = value
      default: throw wrong("\(pair[0].prefix(40)) is no option of a URL of Heddle: use tls, ca, cert, key, name")
      }
      if pair[0] != "tls" {
        isWanted = true
      } else if value != "on", value != "off" {
        throw wrong("tls is on or off, not `\(value.prefix(40))`")
      }
    }
    guard choice != "off" || !isWanted else { throw wrong("tls=off and what belongs to TLS exclude each other") }
    return isWanted || choice == "on" ? found : nil
  }

  private static func host(_ place: Substring) throws(HeddleError) -> Host {
    var name = place
    var port = 7420
    let mistake = wrong("`\(place.prefix(40))` is no host, host:port or [address]:port")
    if let colon = place.lastIndex(of: ":"), place.last != "]" {
      guard let number = Int(place[place.index(after: colon)...]) else { throw mistake }
      port = number
      name = place[..<colon]
    }
    if name.hasPrefix("["), name.hasSuffix("]") {
      name = name.dropFirst().dropLast()
    } else if name.contains(":") {
      throw mistake
    }
    guard !name.isEmpty, (1...65_535).contains(port) else { throw mistake }
    return Host(String(name), port)
  }

  private static func wrong(_ text: String) -> HeddleError { HeddleError(.cannotConnect, text) }
}
