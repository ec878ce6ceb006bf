import Foundation
import HeddleJSON
import Testing

@testable import HeddleTokens

@Suite struct WebTokenSignatureTests {
  @Test(
    "A token signed with a known key of any kind is accepted (attacks.md A2)", arguments: SignatureAlgorithm.allCases)
  func known(_ algorithm: SignatureAlgorithm) async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(algorithm)
    let authentication = try await folder.authentication([("one", signer)])
    let acme = Principal(tenant: "acme", isAdmin: false, via: .webToken)
    #expect(authentication.principal(try signer.token(header: #""kid":"one""#)) == acme)
    #expect(authentication.principal(try signer.token(header: #""typ":"JWT""#)) == acme)
    let other = try TestSigner(algorithm, secret: TestSigner.secret + "x")
    #expect(authentication.fault(try other.token()) == .signature)
  }

  @Test(
    "No changed character is accepted, the last ones of a part included (attacks.md A2)",
    arguments: [SignatureAlgorithm.es256, .rs256])
  func changed(_ algorithm: SignatureAlgorithm) async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(algorithm)
    let authentication = try await folder.authentication([("one", signer)])
    let token = Array(try signer.token().utf8)
    for index in token.indices {
      for other in "AB.=".utf8 where other != token[index] {
        var forged = token
        forged[index] = other
        #expect(authentication.fault(String(decoding: forged, as: UTF8.self)) != nil, "at \(index)")
      }
    }
  }

  @Test(
    "The algorithm is of the configuration; what a header makes up is none (attacks.md A5)",
    arguments: ["none", "None", "nOnE", "", "HS384", "RS256", "es256", "ES256 ", "HS256"])
  func madeUp(_ name: String) async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.es256)
    let authentication = try await folder.authentication([("one", signer)])
    let header = Array(#"{"alg":"\#(name)"}"#.utf8)
    #expect(authentication.fault(try signer.compact(header, Array(validClaims.utf8))) == .algorithm)
    let unsigned = base64URL(header) + "." + base64URL(Array(validClaims.utf8)) + "."
    #expect(authentication.fault(unsigned) == .form)
  }

  @Test(
    "A header without an algorithm in a text is none (attacks.md A5)",
    arguments: ["{}", #"{"alg":null}"#, #"{"alg":["ES256"]}"#, #"{"alg":{"ES256":1}}"#, #"{"alg":1}"#])
  func absent(_ header: String) async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.es256)
    let authentication = try await folder.authentication([(nil, signer)])
    #expect(authentication.fault(try signer.compact(Array(header.utf8), Array(validClaims.utf8))) == .algorithm)
  }

  @Test("A public key is no secret, whatever the configuration accepts besides (attacks.md A6)")
  func confusion() async throws {
    let folder = try TestFolder()
    let rsa = try TestSigner(.rs256)
    let hmac = try TestSigner(.hs256)
    let authentication = try await folder.authentication([("rsa", rsa), ("hmac", hmac)])
    for secret in [rsa.shown, rsa.shown + "\n", rsa.shown.split(separator: "\n").dropFirst().dropLast().joined()] {
      let forger = try TestSigner(.hs256, secret: secret)
      #expect(authentication.fault(try forger.token(header: #""kid":"rsa""#)) == .key)
      #expect(authentication.fault(try forger.token(header: #""kid":"hmac""#)) == .signature)
      #expect(authentication.fault(try forger.token()) == .signature)
    }
    #expect(authentication.principal(try hmac.token(header: #""kid":"hmac""#)) != nil)
    let alone = try await folder.authentication([("rsa", rsa)])
    #expect(alone.fault(try TestSigner(.hs256, secret: rsa.shown).token()) == .algorithm)
  }

  @Test("A key that says what it is for serves nothing else; others of the issuer are passed over (attacks.md A6)")
  func keySets() async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.es256)
    var configuration = WebTokenConfiguration(algorithms: [.es256])
    let point = try #require(Data(base64Encoded: signer.shown.split(separator: "\n").dropFirst().dropLast().joined()))
      .suffix(64)
    let members =
      #""kty":"EC","crv":"P-256","x":"\#(base64URL(Array(point.prefix(32))))","y":"\#(base64URL(Array(point.suffix(32))))""#
    func authentication(_ more: String) async throws -> Authentication {
      let others = #"{"kty":"oct2","kid":"x"},{"kty":"RSA","kid":"e","use":"enc","n":"AA","e":"AQAB"}"#
      configuration.keyFiles = [(nil, try folder.write("keys.json", #"{"keys":[\#(others),{\#(members)\#(more)}]}"#))]
      return try await Authentication(tokenFile: nil, webTokens: configuration)
    }
    let token = try signer.token(header: #""kid":"one""#)
    for more in [#","kid":"one""#, #","kid":"one","use":"sig","alg":"ES256","key_ops":["verify"]"#] {
      #expect(try await authentication(more).principal(token) != nil)
    }
    #expect(try await authentication("").fault(token) == .key)
    for more in [#","use":"enc""#, #","alg":"ES384""#, #","key_ops":["encrypt"]"#, #","d":"AAAA""#] {
      await #expect(throws: CredentialFileError.self) { try await authentication(more) }
    }
  }

  @Test("A key is found by its id among those of the server, and nowhere else (attacks.md A8)")
  func keyIDs() async throws {
    let folder = try TestFolder()
    let (one, two) = (try TestSigner(.es256), try TestSigner(.es256))
    let authentication = try await folder.authentication([("one", one), ("two", two)])
    #expect(authentication.principal(try two.token(header: #""kid":"two""#)) != nil)
    #expect(authentication.principal(try two.token()) != nil)
    #expect(authentication.fault(try two.token(header: #""kid":"one""#)) == .signature)
    for id in ["../../x", "' OR 1=1 --", "", "One", "/dev/null", "one\\u0000"] {
      #expect(authentication.fault(try one.token(header: #""kid":"\#(id)""#)) == .key)
    }
    for id in ["1", "null", #"["one"]"#] {
      #expect(authentication.fault(try one.token(header: #""kid":\#(id)"#)) == .header)
    }
    // A key without an id serves tokens without one.
    let nameless = try await folder.authentication([(nil, one)])
    #expect(nameless.principal(try one.token()) != nil)
    #expect(nameless.fault(try one.token(header: #""kid":"one""#)) == .key)
  }

  @Test(
    "A header that brings keys, points at keys or asks for what is not understood is refused (attacks.md A8)",
    arguments: [
      #""jku":"https://issuer.test/keys""#, #""x5u":"https://issuer.test/chain""#, #""jwk":{"kty":"oct"}"#,
      #""x5c":["MIIB"]"#, #""crit":["exp"]"#, #""crit":[]"#, #""b64":false"#, #""cty":"JWT""#, #""zip":"DEF""#,
      #""typ":"secevent+jwt""#, #""typ":1"#, #""typ":null"#, #""alg":"ES256""#, #""kid":"one","kid":"one""#,
    ])
  func headers(_ header: String) async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.es256)
    let authentication = try await folder.authentication([("one", signer)])
    #expect(authentication.fault(try signer.token(header: header)) == .header)
    #expect(authentication.fault(try signer.token(header: #""typ":"AT+JWT","x":1"#)) == nil)
  }
}

@Suite struct WebTokenFormTests {
  @Test("What is not three parts of base64url in their one form is refused (attacks.md A9)")
  func forms() async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.hs256)
    let authentication = try await folder.authentication([(nil, signer)])
    let token = try signer.token()
    let parts = token.split(separator: ".").map(String.init)
    #expect(authentication.fault(token) == nil)
    let wrong = [
      parts[0] + "." + parts[1], parts[0] + "." + parts[1] + ".", token + ".", "." + token, token + "." + parts[2],
      token + ".a.b", token + "=", token + "\n", " " + token, "..", ".", "...", "a.b.c", "é.é.é",
      parts[0] + "=." + parts[1] + "." + parts[2], String(repeating: ".", count: 8_192),
      parts[0] + "." + parts[1] + "." + parts[2].replacingOccurrences(of: "-", with: "+") + "+",
    ]
    for text in wrong { #expect(authentication.fault(text) == .form, "\(text)") }
    #expect(authentication.fault(token + "A") == .signature)
    #expect(authentication.fault("") == .missing)
    #expect(authentication.fault("a token without dots") == .form)
  }

  @Test("Left-over bits that are not zero are another way of writing the same bytes, and refused (attacks.md A9)")
  func canonical() throws {
    func bytes(_ text: String) -> [UInt8]? { JSONWebToken.bytes(Array(text.utf8)[...]) }
    #expect(bytes("") == [])
    #expect(bytes("AA") == [0])
    #expect(bytes("AB") == nil)
    #expect(bytes("AAA") == [0, 0])
    #expect(bytes("AAB") == nil)
    #expect(bytes("____") == [255, 255, 255])
    #expect(bytes("-_-_") == [0xFB, 0xFF, 0xBF])
    for text in ["A", "AAAAA", "AA==", "AA=", "A+AA", "A/AA", "A AA", "AAA\0"] {
      #expect(bytes(text) == nil, "\(text)")
    }
    for count in 0..<70 {
      let sample = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ count) }
      #expect(bytes(base64URL(sample)) == sample)
    }
  }

  @Test("A token is 8 KiB at most; longer ones and masses of dots cost nothing (attacks.md A9)")
  func sizes() async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.hs256)
    let authentication = try await folder.authentication([(nil, signer)])
    func padded(_ count: Int) throws -> String {
      try signer.token(#"{"tenant":"acme","exp":1800000600,"x":"\#(String(repeating: "x", count: count))"}"#)
    }
    #expect(authentication.fault(try padded(6_000)) == nil)
    #expect(authentication.fault(try padded(6_200)) == .tooLong)
    for text in [String(repeating: ".", count: 100_000), String(repeating: "A", count: 1 << 20)] {
      #expect(authentication.fault(text) == .tooLong)
    }
    let dots = String(repeating: ".", count: JSONWebToken.maximumBytes)
    // The best of some: what else the machine does is no fault of the code.
    let best = (0..<20).map { _ in ContinuousClock().measure { _ = authentication.fault(dots) } }.min()
    #expect(try #require(best) < .milliseconds(1))
  }

  @Test(
    "Claims are one JSON object in UTF-8, no name twice; a token inside a token is not one (attacks.md A8, A9)",
    arguments: [
      "", "[]", "null", "\"acme\"", "{", validClaims + "x", validClaims + validClaims,
      #"{"tenant":"acme","exp":1800000600,"tenant":"other"}"#, #"{"tenant":"acme","exp":1,"exp":1800000600}"#,
      #"{"tenant":"acme","exp":1800000600,"ten\u0061nt":"other"}"#, #"{"exp":1800000600,"a":{"b":1,"b":1}}"#,
      #"{'tenant':'acme','exp':1800000600}"#, #"{"tenant":"\ud800","exp":1800000600}"#,
      String(repeating: #"{"a":"#, count: 100) + "1" + String(repeating: "}", count: 100),
    ])
  func objects(_ claims: String) async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.hs256)
    let authentication = try await folder.authentication([(nil, signer)])
    #expect(authentication.fault(try signer.token(claims)) == .claims)
    #expect(authentication.fault(try signer.token(try signer.token())) == .claims)
    var broken = Array(validClaims.utf8)
    broken[12] = 0xFF
    #expect(authentication.fault(try signer.compact(Array(#"{"alg":"HS256"}"#.utf8), broken)) == .claims)
  }
}

@Suite struct WebTokenClaimTests {
  private func rules(_ change: (inout ClaimRules) -> Void = { _ in }) -> ClaimRules {
    var rules = WebTokenConfiguration(algorithms: []).rules
    change(&rules)
    return rules
  }

  private func fault(_ claims: String, _ rules: ClaimRules, now: Int64 = testNow) -> TokenFault? {
    guard case .object(let members)? = try? JSONValue(parsing: claims) else { return .claims }
    do throws(TokenFault) {
      _ = try rules.check(JSONObject(members), now: now)
      return nil
    } catch {
      return error
    }
  }

  private func times(_ more: String) -> String { #"{"tenant":"acme",\#(more)}"# }

  @Test("29 seconds after its end a token is accepted, after 30 and 31 not; so with its beginning (attacks.md A3)")
  func leeway() {
    let now = testNow / 1_000
    let ends: [(Int64, TokenFault?)] = [(29, nil), (30, .expired), (31, .expired), (-600, nil)]
    for (seconds, expected) in ends {
      #expect(fault(times(#""exp":\#(now - seconds)"#), rules()) == expected)
    }
    for name in ["nbf", "iat"] {
      for (seconds, expected) in [(29, nil), (30, nil), (31, TokenFault.early)] as [(Int64, TokenFault?)] {
        #expect(fault(times(#""exp":\#(now + 900),"\#(name)":\#(now + seconds)"#), rules()) == expected)
      }
    }
    #expect(fault(times(#""exp":\#(now)"#), rules { $0.leewaySeconds = 0 }) == .expired)
    #expect(fault(times(#""exp":\#(now - 299)"#), rules { $0.leewaySeconds = 300 }) == nil)
  }

  @Test(
    "A time that is not a whole number of seconds up to the year 9999 is refused, without a trap (attacks.md A4)",
    arguments: [
      #""1800000600""#, "1800000600.0", "1.8e9", "1e400", "-1", "-1e400", "-0", "9223372036854775807",
      "9223372036854775808", "253402300800", "99999999999999999999999999", "null", "true", "[]", "{}",
    ])
  func wrongTimes(_ time: String) {
    #expect(fault(times(#""exp":\#(time)"#), rules()) == .claims)
    #expect(fault(times(#""exp":1800000600,"nbf":\#(time)"#), rules()) == .claims)
    #expect(fault(times(#""exp":1800000600,"iat":\#(time)"#), rules()) == .claims)
  }

  @Test("Without an end a token is refused; with the last end there is, accepted (attacks.md A4)")
  func ends() {
    #expect(fault(#"{"tenant":"acme"}"#, rules()) == .expired)
    #expect(fault(times(#""exp":0"#), rules()) == .expired)
    #expect(fault(times(#""exp":253402300799"#), rules()) == nil)
  }

  @Test("The audience is ours, alone or among others; a server without a name takes no named token (attacks.md A7)")
  func audiences() {
    let ours = rules { $0.audience = "heddle" }
    let cases: [(String, TokenFault?, TokenFault?)] = [
      (#""heddle""#, nil, .audience), (#"["other","heddle"]"#, nil, .audience), (#""other""#, .audience, .audience),
      (#"["other"]"#, .audience, .audience), ("[]", .audience, .audience), (#""""#, .audience, .audience),
      (#""Heddle""#, .audience, .audience), (#""heddle ""#, .audience, .audience), ("1", .claims, .claims),
      ("null", .claims, .claims), (#"["heddle",1]"#, .claims, .claims), (#"{"heddle":1}"#, .claims, .claims),
    ]
    for (audience, named, nameless) in cases {
      let claims = times(#""exp":1800000600,"aud":\#(audience)"#)
      #expect(fault(claims, ours) == named, "\(audience)")
      #expect(fault(claims, rules()) == nameless, "\(audience)")
    }
    #expect(fault(validClaims, ours) == .audience)
    #expect(fault(validClaims, rules()) == nil)
  }

  @Test("The issuer is the configured one, to the letter (attacks.md A8)")
  func issuers() {
    let ours = rules { $0.issuer = "https://issuer.test" }
    for (issuer, expected) in [
      (#""https://issuer.test""#, nil), (#""https://issuer.test/""#, .issuer), (#""""#, .issuer), ("null", .issuer),
      (#"["https://issuer.test"]"#, .issuer),
    ] as [(String, TokenFault?)] {
      #expect(fault(times(#""exp":1800000600,"iss":\#(issuer)"#), ours) == expected, "\(issuer)")
    }
    #expect(fault(validClaims, ours) == .issuer)
  }

  @Test("A token that is bound to a key of its holder is no bearer token (attacks.md A12)")
  func bound() {
    #expect(fault(times(#""exp":1800000600,"cnf":{"jkt":"x"}"#), rules()) == .bound)
  }

  @Test("A token that is bound to a certificate counts with that certificate alone")
  func boundToCertificate() throws {
    let digest = Array(0..<32 as Range<UInt8>)
    let text = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"
    func fault(_ binding: String, _ certificate: [UInt8]?) throws -> TokenFault? {
      let claims = try JSONValue(parsing: times(#""exp":1800000600,"cnf":\#(binding)"#))
      guard case .object(let members) = claims else { return .claims }
      do throws(TokenFault) {
        _ = try rules().check(JSONObject(members), certificate: certificate, now: testNow)
        return nil
      } catch { return error }
    }
    let binding = #"{"x5t#S256":"\#(text)"}"#
    #expect(try fault(binding, digest) == nil)
    #expect(try fault(binding, nil) == .unbound)
    #expect(try fault(binding, Array(digest.reversed())) == .unbound)
    #expect(try fault(#"{"x5t#S256":"\#(text)="}"#, digest) == .unbound)
    #expect(try fault(#"{"x5t#S256":7}"#, digest) == .bound)
    #expect(try fault(#"{"x5t#S256":"\#(text)","jkt":"x"}"#, digest) == .bound)
    #expect(try fault(#""\#(text)""#, digest) == .bound)
  }

  @Test("A tenant is 1 to 256 visible ASCII characters, from the configured claim alone (attacks.md A18)")
  func tenants() {
    for (name, expected) in [
      ("acme", nil), ("a", nil), (String(repeating: "a", count: 256), nil), ("org:acme/eu-1", nil),
      (String(repeating: "a", count: 257), .tenant), ("", .tenant), (" ", .tenant), ("a b", .tenant), ("a\\n", .tenant),
      ("\\u0000", .tenant), ("\\u007f", .tenant), ("ac\\u200bme", .tenant), ("müller", .tenant), ("\\u212a", .tenant),
    ] as [(String, TokenFault?)] {
      #expect(fault(#"{"exp":1800000600,"tenant":"\#(name)"}"#, rules()) == expected, "\(name)")
    }
    for value in ["1", "null", #"["acme"]"#, #"{"a":1}"#, "true"] {
      #expect(fault(#"{"exp":1800000600,"tenant":\#(value)}"#, rules()) == .tenant)
    }
    let other = rules { $0.tenantClaim = "https://issuer.test/org" }
    #expect(fault(validClaims, other) == .tenant)
    #expect(fault(#"{"exp":1800000600,"https://issuer.test/org":"acme"}"#, other) == nil)
  }

  @Test("Rights are those of the configured claim; nobody has any without one (attacks.md A19)")
  func admins() throws {
    func isAdmin(_ value: String, _ rules: ClaimRules) throws -> Bool {
      let claims = try JSONValue(parsing: times(#""exp":1800000600,"role":\#(value)"#))
      guard case .object(let members) = claims else { return false }
      return try rules.check(JSONObject(members), now: testNow).principal.isAdmin
    }
    let named = rules {
      $0.adminClaim = "role"
      $0.adminValue = "operator"
    }
    for (value, expected) in [
      (#""operator""#, true), (#"["a","operator"]"#, true), (#""operators""#, false), (#""a operator""#, false),
      ("true", false), ("1", false), ("null", false), (#"[["operator"]]"#, false), (#"{"operator":true}"#, false),
    ] {
      #expect(try isAdmin(value, named) == expected, "\(value)")
      #expect(try !isAdmin(value, rules()))
    }
    let flag = rules { $0.adminClaim = "role" }
    #expect(try isAdmin("true", flag))
    #expect(try !isAdmin("false", flag))
  }
}

@Suite struct AuthenticationTests {
  private let fixed = String(repeating: "f", count: 32)

  private func failure(_ reload: Authentication.Reload) -> String? {
    if case .failed(let cause) = reload { return cause }
    return nil
  }

  @Test("Static tokens and web tokens stand beside each other; one that looks like the other is found first")
  func both() async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.edDSA)
    let token = try signer.token()
    let authentication = try await folder.authentication(
      [(nil, signer)], tokens: "\(fixed) ops admin\n\(token) fixed\n")
    #expect(authentication.description == "token,jwt")
    #expect(authentication.principal(fixed) == Principal(tenant: "ops", isAdmin: true))
    #expect(authentication.principal(token) == Principal(tenant: "fixed", isAdmin: false))
    let another = try signer.token(#"{"tenant":"acme","exp":1800000601}"#)
    #expect(authentication.principal(another) == Principal(tenant: "acme", isAdmin: false, via: .webToken))
    let alone = try await Authentication(tokenFile: folder.path + "/tokens", webTokens: nil)
    #expect(alone.fault(another) == .unknown)
    #expect(alone.description == "token")
  }

  @Test("A credential ends with its token, the leeway included; a static one does not (attacks.md A10)")
  func ends() async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.es256)
    let authentication = try await folder.authentication([(nil, signer)], tokens: "\(fixed) ops")
    #expect(try authentication.credential(of: try signer.token(), now: testNow).get().expiresAt == 1_800_000_630_000)
    #expect(try authentication.credential(of: fixed, now: testNow).get().expiresAt == nil)
  }

  @Test("Changed files are read again; who came in with what is gone may not stay, others may (attacks.md A11)")
  func rotation() async throws {
    let folder = try TestFolder()
    let (old, new) = (try TestSigner(.es256), try TestSigner(.es256))
    let hmac = try TestSigner(.hs256)
    let authentication = try await folder.authentication(
      [("old", old), ("shared", hmac)], tokens: "\(fixed) ops admin\n\(fixed)2 revoked")
    func credential(_ token: String) throws -> Credential {
      try authentication.credential(of: token, now: testNow).get()
    }
    let signed = try credential(try old.token(header: #""kid":"old""#))
    let shared = try credential(try hmac.token())
    let (kept, revoked) = (try credential(fixed), try credential(fixed + "2"))
    let before = authentication.generation
    #expect(await authentication.reload() == .unchanged)
    #expect(authentication.generation == before)
    try folder.write("tokens", "\(fixed) ops admin\n\(fixed)3 added\n")
    try folder.write("0.pem", new.shown)
    #expect(await authentication.reload() == .renewed)
    #expect(authentication.generation > before)
    #expect([signed, shared, kept, revoked].map(authentication.holds) == [false, true, true, false])
    #expect(authentication.fault(try old.token()) == .signature)
    #expect(authentication.principal(try new.token()) != nil)
    try folder.write("secrets", TestSigner.secret.uppercased() + " shared")
    #expect(await authentication.reload() == .renewed)
    #expect(!authentication.holds(shared))
    #expect(authentication.fault(try hmac.token()) == .signature)
    // The same token with other rights is not what the connection came in with.
    try folder.write("tokens", "\(fixed) ops\n")
    _ = await authentication.reload()
    #expect(!authentication.holds(kept))
  }

  @Test("Files that cannot be used leave everything as it was, and are said once (attacks.md A11)")
  func damage() async throws {
    let folder = try TestFolder()
    let signer = try TestSigner(.es256)
    let authentication = try await folder.authentication([("one", signer)])
    let token = try signer.token()
    for (text, mode) in [("", 0o600), ("-----BEGIN PUBLIC KEY-----\n", 0o600), (signer.shown, 0o622)] {
      try folder.write("0.pem", text, mode: mode)
      let cause = failure(await authentication.reload())
      #expect(try !#require(cause).contains("BEGIN"))
      #expect(await authentication.reload() == .unchanged)
      #expect(authentication.principal(token) != nil)
    }
    try FileManager.default.removeItem(atPath: folder.path + "/0.pem")
    #expect(failure(await authentication.reload()) != nil)
    #expect(failure(await authentication.reload(always: true)) != nil)
    #expect(authentication.principal(token) != nil)
  }

  @Test(
    "A secret is as long as its hash (attacks.md A17)",
    arguments: [(SignatureAlgorithm.hs256, 32), (.hs384, 48), (.hs512, 64)])
  func secrets(_ algorithm: SignatureAlgorithm, _ bytes: Int) async throws {
    let folder = try TestFolder()
    var configuration = WebTokenConfiguration(algorithms: [algorithm])
    configuration.secretFile = try folder.write("secrets", String(repeating: "s", count: bytes))
    _ = try await Authentication(tokenFile: nil, webTokens: configuration)
    try folder.write("secrets", String(repeating: "s", count: bytes - 1))
    await #expect(throws: CredentialFileError.self) {
      try await Authentication(tokenFile: nil, webTokens: configuration)
    }
  }
}
