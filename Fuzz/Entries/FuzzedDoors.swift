// Input: a byte that chooses, one that says where the bytes are cut, then what a stranger says before a door knows it: a
// PROXY header, the first message of TLS, or a header that names a client.
//
// What is read of the bytes at hand stays so when more come, and nothing is read beyond the end that is reported. An element
// that a proxy appends to a header takes the place of all before it. An identity has the form that it must have.

import HeddleListener
import HeddleTokens

enum FuzzedDoors {
  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    var input = InputReader(bytes)
    let choice = input.byte()
    let cut = Int(input.byte())
    let data = input.all()
    switch choice % 3 {
    case 0: try proxyHeader(data, cut)
    case 1: try clientHello(data, cut)
    default: try forwarded(data)
    }
  }

  private static func parse(_ data: [UInt8]) -> ProxyHeader.Parsed {
    data.withUnsafeBytes { ProxyHeader.parse($0, identityTypes: [0xE0, 0xE1]) }
  }

  private static func proxyHeader(_ data: [UInt8], _ cut: Int) throws(Finding) {
    let whole = parse(data)
    let part = parse(Array(data.prefix(cut)))
    guard part == .incomplete || part == whole || data.count <= cut else {
      throw Finding("a PROXY header is read anew when more bytes come: \(part), then \(whole)")
    }
    guard case .header(let header, let length) = whole else {
      if whole == .incomplete, data.count >= 16 + 4_096 { throw Finding("a PROXY header has no end") }
      return
    }
    guard (1...data.count).contains(length) else { throw Finding("a PROXY header ends beyond the bytes") }
    guard parse(Array(data.prefix(length - 1))) == .incomplete, parse(Array(data.prefix(length))) == whole else {
      throw Finding("a PROXY header does not end where it says")
    }
    if header.command == .local, header.source != nil || !header.identities.isEmpty {
      throw Finding("a LOCAL header names somebody")
    }
    if FuzzPlant.doors.isSet { FuzzPlant.identities(header.identities) }
  }

  private static func clientHello(_ data: [UInt8], _ cut: Int) throws(Finding) {
    let whole = ClientHello.scan(data)
    let part = ClientHello.scan(data.prefix(cut))
    guard part == .incomplete || part == whole else {
      throw Finding("the first message of TLS is read anew when more bytes come: \(part), then \(whole)")
    }
  }

  private static func forwarded(_ data: [UInt8]) throws(Finding) {
    if let identity = WorkloadIdentity(data) {
      guard Array(identity.text.utf8) == data, data.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw Finding("an identity is not the bytes that it was read from")
      }
      guard identity.trustDomain == nil || !identity.text.contains("/../") else { throw Finding("a path goes up") }
    }
    let text = String(decoding: data, as: UTF8.self)
    guard LastElement(text) != nil else { return }
    guard LastElement(text + ",Hash=0")?.uris == [], LastElement(text + ",URI=spiffe://a/b")?.uris == ["spiffe://a/b"]
    else { throw Finding("an element of a client counts beside that of the proxy") }
  }
}
