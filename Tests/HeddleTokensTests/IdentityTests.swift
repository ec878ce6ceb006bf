// Identities of workloads: their form, the file that says whose they are, and which of several counts.

import Foundation
import Testing

@testable import HeddleTokens

@Suite struct WorkloadIdentityTests {
  @Test("An identity is visible ASCII of 1 to 2,048 bytes (attacks.md T16)")
  func form() {
    for text in ["a", "dns:shop.example.org", "cart.shop.serviceaccount.identity.linkerd.cluster.local"] {
      #expect(WorkloadIdentity(text.utf8)?.text == text)
    }
    #expect(WorkloadIdentity(Array(repeating: 0x61, count: 2_048)) != nil)
    #expect(WorkloadIdentity(Array(repeating: 0x61, count: 2_049)) == nil)
    for text in ["", "a b", "a\u{0}", "a\n", "a\u{7F}", "müller", "a\u{200B}"] {
      #expect(WorkloadIdentity(text.utf8) == nil, "\(text)")
    }
  }

  @Test("One of SPIFFE has a trust domain and a path without empty, `.` and `..` parts (attacks.md A14)")
  func ofSPIFFE() {
    for (text, domain) in [
      ("spiffe://example.org/ns/shop", "example.org"), ("spiffe://td_1-x/A.b_c-d", "td_1-x"), ("spiffe://td", "td"),
    ] {
      #expect(WorkloadIdentity(text.utf8)?.trustDomain == domain)
    }
    for text in [
      "spiffe://", "spiffe:///x", "spiffe://td/", "spiffe://td//x", "spiffe://td/./x", "spiffe://td/../x",
      "spiffe://td/x/..", "spiffe://TD/x", "SPIFFE://td/x", "spiffe:td/x", "spiffe://td:80/x", "spiffe://u@td/x",
      "spiffe://td/x?y", "spiffe://td/x#y", "spiffe://td/%2e%2e/x", "spiffe://td/x y", "spiffe://../x", "spiffe://./x",
      "spiffe://\(String(repeating: "a", count: 256))/x",
    ] {
      #expect(WorkloadIdentity(text.utf8) == nil, "\(text)")
    }
  }

  @Test("Trust domains bind identities of SPIFFE, and no others")
  func trustDomains() throws {
    let ours = try #require(WorkloadIdentity("spiffe://example.org/x".utf8))
    #expect(ours.isOf([]) && ours.isOf(["other", "example.org"]) && !ours.isOf(["org", "example.org.evil"]))
    #expect(try #require(WorkloadIdentity("dns:example.org".utf8)).isOf(["other"]))
  }
}

@Suite struct IdentityTableTests {
  private func tenant(_ table: IdentityTable, _ text: String) -> String? {
    table.principal(of: WorkloadIdentity(text.utf8), via: .certificate)?.tenant
  }

  @Test("The exact name wins over prefixes, a longer prefix over a shorter one, whatever their order")
  func order() throws {
    let table = try IdentityTable(
      text: """
        # identity            tenant
        spiffe://td/*         all
        spiffe://td/ns/shop/* shop
        spiffe://td/ns/*      names

        spiffe://td/ns/shop/cart cart admin
        dns:host.example      host
        """)
    for (text, expected) in [
      ("spiffe://td/ns/shop/cart", "cart"), ("spiffe://td/ns/shop/cart/x", "shop"),
      ("spiffe://td/ns/shop/till", "shop"),
      ("spiffe://td/ns/bank", "names"), ("spiffe://td/x", "all"), ("dns:host.example", "host"),
    ] {
      #expect(tenant(table, text) == expected, "\(text)")
    }
    for text in ["spiffe://td2/x", "spiffe://td", "dns:host.example.org", "dns:host"] {
      #expect(tenant(table, text) == nil, "\(text)")
    }
    let cart = table.principal(of: WorkloadIdentity("spiffe://td/ns/shop/cart".utf8), via: .proxy)
    #expect(
      cart == Principal(tenant: "cart", isAdmin: true, name: "spiffe://td/ns/shop/cart", via: .proxy))
    #expect(table.principal(of: nil, via: .header) == nil)
  }

  @Test("A prefix ends with a part: /ide/* is not /ide-evil (attacks.md T16)")
  func parts() throws {
    let table = try IdentityTable(text: "spiffe://td/ide/* a\nspiffe://td/exact b\n")
    #expect(tenant(table, "spiffe://td/ide/x") == "a")
    for text in ["spiffe://td/ide-evil", "spiffe://td/ide", "spiffe://td/exact-evil", "spiffe://td/exact/x"] {
      #expect(tenant(table, text) == nil, "\(text)")
    }
  }

  @Test(
    "A line that cannot be meant is refused",
    arguments: [
      "", "# nothing", "spiffe://td/x", "spiffe://td/x a b", "spiffe://td/x a admin b", "spiffe://td/../x a",
      "spiffe://td/x* a", "* a", "/* a", "spiffe://*/x a", "spiffe://td/*/x a", "spiffe://td/x tenänt",
      "spiffe://td/x a\nspiffe://td/x b", "spiffe://td/* a\nspiffe://td/* a",
    ])
  func faults(_ text: String) {
    #expect(throws: CredentialFileError.self) { try IdentityTable(text: text) }
  }
}

@Suite struct CallerTests {
  private let fixed = String(repeating: "s", count: 40)
  private let now: Int64 = 1_800_000_000_000

  private func authentication() throws -> Authentication {
    try Authentication(
      tokens: "\(fixed) acme\n",
      identities: "spiffe://td/cart acme\nspiffe://td/bank bank\ndns:proxy.example proxies\n")
  }

  private func name(_ text: String) throws -> WorkloadIdentity { try #require(WorkloadIdentity(text.utf8)) }

  private func peer(
    certificate: String? = nil, forwarded: String? = nil, proxied: String? = nil, expiresAt: Int64 = .max,
    authority: TrustedAuthority = TrustedAuthority()
  ) throws -> PeerIdentity {
    var peer = PeerIdentity()
    if let certificate {
      peer.certificate = PeerCertificate(
        try name(certificate), certificate: [1, 2, 3], expiresAt: expiresAt, by: authority)
    }
    peer.forwarded = try forwarded.map { try name($0) }
    peer.proxied = try proxied.map { try name($0) }
    return peer
  }

  private func outcome(_ token: String, _ peer: PeerIdentity) throws -> Result<Principal, TokenFault> {
    try authentication().credential(of: token, peer, now: now).map(\.principal)
  }

  @Test("A caller is named by its token, else by its certificate, else by a header, else by its PROXY header")
  func order() throws {
    let (cart, bank, host) = ("spiffe://td/cart", "spiffe://td/bank", "dns:proxy.example")
    #expect(
      try outcome(fixed, peer(certificate: cart, forwarded: bank, proxied: host)).get()
        == Principal(tenant: "acme", isAdmin: false))
    for (peer, expected) in [
      (
        try peer(certificate: cart, forwarded: bank, proxied: host),
        Principal(tenant: "acme", isAdmin: false, name: cart, via: .certificate)
      ),
      (
        try peer(certificate: "spiffe://td/envoy", forwarded: bank, proxied: host),
        Principal(tenant: "bank", isAdmin: false, name: bank, via: .header)
      ),
      (try peer(forwarded: bank, proxied: host), Principal(tenant: "bank", isAdmin: false, name: bank, via: .header)),
      (try peer(proxied: host), Principal(tenant: "proxies", isAdmin: false, name: host, via: .proxy)),
    ] {
      #expect(try outcome("", peer).get() == expected)
    }
  }

  @Test("An identity that no line names is unknown; a caller without any has to bring a token")
  func unknown() throws {
    for peer in [
      try peer(certificate: "spiffe://td/other"), try peer(forwarded: "spiffe://td/other"),
      try peer(forwarded: "spiffe://td/other", proxied: "spiffe://td/cart"), try peer(proxied: "spiffe://td/cart2"),
    ] {
      #expect(try outcome("", peer) == .failure(.unknownIdentity))
    }
    #expect(try outcome("", PeerIdentity()) == .failure(.missing))
    let tokensAlone = try Authentication(tokens: "\(fixed) acme\n")
    #expect(
      tokensAlone.credential(of: "", try peer(certificate: "spiffe://td/cart"), now: now).map(\.principal)
        == .failure(.missing))
  }

  @Test("A token beside a certificate is of the certificate's tenant (attacks.md T17)")
  func beside() throws {
    #expect(try outcome(fixed, peer(certificate: "spiffe://td/bank")) == .failure(.otherTenant))
    #expect(try outcome(fixed, peer(certificate: "spiffe://td/cart")).get().tenant == "acme")
    // The certificate of a proxy that brings users' tokens has no tenant.
    #expect(try outcome(fixed, peer(certificate: "spiffe://td/envoy")).get().tenant == "acme")
    #expect(try outcome(fixed + "x", peer(certificate: "spiffe://td/cart")) == .failure(.unknown))
  }

  @Test("A name that cannot be an identity is refused, whatever stands beside it (attacks.md T16)")
  func invalid() throws {
    var peer = try peer(certificate: "spiffe://td/cart")
    peer.isInvalid = true
    #expect(try outcome("", peer) == .failure(.invalidIdentity))
    #expect(try outcome(fixed, peer) == .failure(.invalidIdentity))
  }

  @Test("A certificate counts until it runs out, and while its authority is trusted")
  func ends() throws {
    let authority = TrustedAuthority()
    let peer = try peer(certificate: "spiffe://td/cart", expiresAt: now + 1, authority: authority)
    let authentication = try authentication()
    let credential = try authentication.credential(of: "", peer, now: now).get()
    #expect(credential.isCurrent(at: now) && !credential.isCurrent(at: now + 1))
    #expect(authentication.credential(of: fixed, peer, now: now + 1) == .failure(.ended))
    authority.distrust()
    #expect(!credential.isCurrent(at: now))
    #expect(authentication.credential(of: "", peer, now: now) == .failure(.ended))
    #expect(!Credential.everybody(peer).isCurrent(at: now))
    #expect(Credential.everybody(PeerIdentity()).isCurrent(at: .max))
  }

  @Test("A caller may stay while the file gives its identity the same tenant and rights")
  func held() async throws {
    let folder = try TestFolder()
    let file = try folder.write("identities", "spiffe://td/cart acme\n")
    let authentication = try await Authentication(tokenFile: nil, webTokens: nil, identitiesFile: file)
    #expect(authentication.description == "identity")
    let credential = try authentication.credential(of: "", try peer(proxied: "spiffe://td/cart"), now: now).get()
    #expect(authentication.holds(credential))
    for (text, holds) in [
      ("spiffe://td/* acme\n", true), ("spiffe://td/cart acme admin\n", false), ("spiffe://td/cart bank\n", false),
      ("spiffe://td/other acme\n", false),
    ] {
      try folder.write("identities", text)
      #expect(await authentication.reload(always: true) == .renewed)
      #expect(authentication.holds(credential) == holds, "\(text)")
    }
  }
}
