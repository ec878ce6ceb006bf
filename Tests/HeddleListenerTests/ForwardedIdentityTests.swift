// Identities in headers of proxies: read as Envoy and Linkerd write them, whatever a client wrote before (attacks.md T15).

import HeddleCore
import HeddleTokens
import Testing

@testable import HeddleListener

@Suite struct ForwardedIdentityTests {
  private let rules = ForwardingRules()

  private func read(_ xfcc: String...) -> ForwardedIdentity { rules.identity(xfcc: xfcc, l5dClientID: []) }

  private func named(_ text: String) throws -> ForwardedIdentity {
    .named(try #require(WorkloadIdentity(text.utf8)))
  }

  @Test("The last element's URI counts: the one that our own proxy appended")
  func last() throws {
    let cart = try named("spiffe://td/cart")
    for header in [
      "By=spiffe://td/us;Hash=0f;URI=spiffe://td/cart", "URI=spiffe://td/forged,Hash=0f;URI=spiffe://td/cart",
      #"Hash=0f;Subject="CN=x,O=y";URI=spiffe://td/cart"#, #"uri="spiffe://td/cart";DNS=a;DNS=b"#,
      #"URI=spiffe://td/forged,  Subject="/CN=\"quoted\"";URI=spiffe://td/cart"#,
    ] {
      #expect(read(header) == cart, "\(header)")
    }
  }

  @Test("A URI inside a quoted Subject is text (attacks.md T15)")
  func quoted() {
    for header in [
      #"Subject="CN=x;URI=spiffe://td/forged""#, #"Hash=0;Subject="a,URI=spiffe://td/forged;""#,
      #"Subject="a\";URI=spiffe://td/forged""#, #"By=x;Hash=0"#, "", "URI=", #"URI="""#,
      #"URI=spiffe://td/forged,Subject="x""#,
    ] {
      #expect(read(header) == .none, "\(header)")
    }
  }

  @Test("Two identities, or a text that cannot be read, are none")
  func invalid() {
    for header in [
      "URI=spiffe://td/a;URI=spiffe://td/b", "URI=spiffe://td/../a", #"URI="spiffe://td/a"#, #"URI=a"b"#, #"URI="a\"#,
      "URI=spiffe://td/a b", #"U"RI=x"#,
    ] {
      #expect(read(header) == .invalid, "\(header)")
    }
    #expect(read("URI=spiffe://td/a", "URI=spiffe://td/a") == .invalid)
    #expect(rules.identity(xfcc: ["URI=spiffe://td/a"], l5dClientID: ["a"]) == .invalid)
    #expect(rules.identity(xfcc: [], l5dClientID: ["a", "a"]) == .invalid)
  }

  @Test("Linkerd's header is the name itself")
  func linkerd() throws {
    let name = "cart.shop.serviceaccount.identity.linkerd.cluster.local"
    #expect(rules.identity(xfcc: [], l5dClientID: [name]) == (try named(name)))
    #expect(rules.identity(xfcc: [], l5dClientID: [""]) == .none)
    #expect(rules.identity(xfcc: [], l5dClientID: ["a b"]) == .invalid)
    #expect(rules.identity(xfcc: [], l5dClientID: []) == .none)
  }

  @Test("With trust domains, identities of SPIFFE are of one of them")
  func trustDomains() throws {
    let rules = ForwardingRules(trustDomains: ["td"])
    #expect(rules.identity("spiffe://td/a".utf8) == (try named("spiffe://td/a")))
    #expect(rules.identity("spiffe://other/a".utf8) == .invalid)
    #expect(rules.identity("a.b".utf8) == (try named("a.b")))
  }

  @Test("Headers of a peer that is no proxy of ours mean nothing (attacks.md T15)")
  func untrusted() throws {
    var peer = Peer(address: "192.0.2.1")
    let header = ["URI=spiffe://td/cart"]
    #expect(try peer.identity(xfcc: header, l5dClientID: []).get() == PeerIdentity())
    #expect(try peer.identity(xfcc: header + header, l5dClientID: header).get() == PeerIdentity())
    peer.isTrustedProxy = true
    #expect(try peer.identity(xfcc: header, l5dClientID: []).get().forwarded?.text == "spiffe://td/cart")
    #expect(try peer.identity(xfcc: [], l5dClientID: []).get() == PeerIdentity())
    guard case .failure(let refusal) = peer.identity(xfcc: header + header, l5dClientID: []) else {
      Issue.record("two headers were accepted")
      return
    }
    #expect(refusal.reason == .invalidIdentity)
  }
}

@Suite struct CertificateNamesTests {
  private func identity(_ uris: [String], _ hosts: [String] = [], domains: Set<String> = []) -> String? {
    let names = CertificateNames(uris: uris.map { Array($0.utf8) }, hosts: hosts.map { Array($0.utf8) })
    switch names.identity(domains) {
    case .none: return nil
    case .named(let name): return name.text
    case .invalid: return "invalid"
    }
  }

  @Test("A certificate of SPIFFE has one URI, in a trust domain of ours, with a path (attacks.md A14)")
  func ofSPIFFE() {
    #expect(identity(["spiffe://td/a"]) == "spiffe://td/a")
    #expect(identity(["spiffe://td/a"], ["host"], domains: ["td", "other"]) == "spiffe://td/a")
    for (uris, hosts, domains) in [
      (["spiffe://td/a"], [], ["other"]), ([], [], ["td"]), ([], ["host"], ["td"]), (["https://td/a"], [], ["td"]),
      (["spiffe://td/a", "spiffe://td/b"], [], ["td"]), (["spiffe://td/a", "spiffe://td/b"], [], []),
      (["spiffe://td/a", "https://td/b"], [], []), (["spiffe://td/../a"], [], []), (["spiffe://td/../a"], [], ["td"]),
      (["spiffe://td"], [], ["td"]), (["spiffe://td/a\u{0}"], [], []), (["spiffe://td/"], [], []),
    ] as [([String], [String], Set<String>)] {
      #expect(identity(uris, hosts, domains: domains) == "invalid", "\(uris) \(domains)")
    }
  }

  @Test("Without trust domains another certificate is named by its one URI, else by its first host name")
  func others() {
    #expect(identity(["https://example.org/cart"], ["host"]) == "https://example.org/cart")
    #expect(identity([], ["Cart.Example.ORG", "other"]) == "dns:cart.example.org")
    #expect(identity(["https://a", "https://b"], ["host"]) == "dns:host")
    #expect(identity([], []) == nil)
    #expect(identity([], ["a b"]) == nil)
  }
}
