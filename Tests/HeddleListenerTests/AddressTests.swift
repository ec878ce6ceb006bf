// Addresses, ranges of addresses, and the addresses that a door may open.

import HeddleService
import Testing

@testable import HeddleListener

@Suite struct AddressTests {
  @Test("A range holds the addresses that share its first bits")
  func ranges() throws {
    for (range, inside, outside) in [
      ("10.0.0.0/8", ["10.0.0.0", "10.255.255.255", "::ffff:10.1.2.3"], ["11.0.0.0", "9.255.255.255", "::a00:1"]),
      ("192.0.2.7", ["192.0.2.7"], ["192.0.2.6", "192.0.2.8"]), ("0.0.0.0/0", ["255.1.1.1"], ["::1"]),
      ("192.0.2.64/26", ["192.0.2.64", "192.0.2.127"], ["192.0.2.63", "192.0.2.128"]),
      ("fd00::/8", ["fd00::1", "fdff::1"], ["fe00::1", "10.0.0.1"]), ("::1/128", ["::1"], ["::2"]),
    ] as [(String, [String], [String])] {
      let range = TrustedProxies([try #require(AddressRange(range))])
      for address in inside { #expect(range.contains(address), "\(address)") }
      for address in outside { #expect(!range.contains(address), "\(address)") }
    }
    #expect(!TrustedProxies([]).contains("127.0.0.1"))
  }

  @Test(
    "A text that is no range is refused",
    arguments: [
      "", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0/8", "10.0.0.0/8/8", "::/129", "host",
      "fe80::1%eth0", "10.0.0.0 /8", "010.0.0.1",
    ])
  func noRanges(_ text: String) { #expect(AddressRange(text) == nil) }

  @Test("An address that other machines reach needs known callers, and TLS or the words that say why not")
  func openAddresses() {
    var security = DoorSecurity()
    for host in ["127.0.0.1", "127.9.9.9", "::1", "localhost"] {
      #expect(security.refusal(host: host, knowsCallers: false) == nil)
    }
    func words(_ host: String, known: Bool) -> String? {
      security.refusal(host: host, knowsCallers: known)?.description
    }
    for host in ["0.0.0.0", "::", "10.0.0.1", "127.0.0.1.example", "localhost.example", ""] {
      #expect(words(host, known: false)?.contains("tls.client=require") == true)
      #expect(words(host, known: true)?.contains("tls.mode=plaintext") == true)
    }
    security.isPlaintextAllowed = true
    #expect(words("0.0.0.0", known: true) == nil)
    #expect(words("0.0.0.0", known: false) != nil)
  }
}
