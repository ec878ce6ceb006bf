// The names and pages that the HTTP door answers to, and its routes.

import HeddleCore
import NIOHTTP1
import Testing

@testable import HeddleHTTP

@Suite struct HTTPRulesTests {
  @Test("Loopback names, the socket's own address and configured names are this server")
  func hosts() {
    var rules = HTTPRules()
    for host in ["localhost", "LOCALHOST:7422", "127.0.0.1:1", "127.9.9.9", "[::1]:7422", "[::1]"] {
      #expect(rules.accepts(host: host, localAddress: nil), "\(host)")
    }
    for host in [
      "", "example.org", "localhost.example.org", "127.0.0.1.example.org", "localhost:", "localhost:x",
      "localhost:123456", "a b", "localhost/", "[::1", "user@localhost", "10.0.0.5:7422", "localhost,evil",
    ] {
      #expect(!rules.accepts(host: host, localAddress: "10.0.0.6"), "\(host)")
    }
    #expect(rules.accepts(host: "10.0.0.6:7422", localAddress: "10.0.0.6"))
    rules.hosts = ["heddle.example.org"]
    #expect(rules.accepts(host: "Heddle.example.org:80", localAddress: nil))
    #expect(!rules.accepts(host: "x.heddle.example.org", localAddress: nil))
  }

  @Test("A page may call its own server and no other, compared as a whole")
  func origins() {
    var rules = HTTPRules()
    #expect(rules.accepts(origin: "http://localhost:7422", host: "localhost:7422", isEncrypted: false))
    for origin in [
      "null", "", "http://localhost", "http://localhost:74222", "https://localhost:7422", "http://localhost:7422/",
      "http://evil.example", "http://localhost:7422.evil.example",
    ] {
      #expect(!rules.accepts(origin: origin, host: "localhost:7422", isEncrypted: false), "\(origin)")
    }
    #expect(rules.accepts(origin: "https://localhost:7422", host: "localhost:7422", isEncrypted: true))
    rules.origins = ["https://console.example.org"]
    #expect(rules.accepts(origin: "https://console.example.org", host: "localhost:7422", isEncrypted: false))
    #expect(!rules.accepts(origin: "https://console.example.org.evil", host: "localhost:7422", isEncrypted: false))
  }

  @Test("Paths are routes only as they stand")
  func routes() {
    let thread = ThreadID(high: 1, low: 2)
    #expect(Route(path: "/healthz") == .live)
    #expect(Route(path: "/readyz") == .ready)
    #expect(Route(path: "/metrics") == .metrics)
    #expect(Route(path: "/heddle.v1.ThreadService/Read") == .call(.threadRead))
    #expect(Route(path: "/heddle.v1.ThreadService/Nope") == .unknownMethod)
    #expect(Route(path: "/v1/threads/\(thread)/events") == .events(thread))
    for path in [
      "", "/../metrics", "//metrics", "/%6detrics", "/metrics/", "/METRICS", "/v1/threads//events",
      "/v1/threads/x/events", "/v1/threads/events", "/v1/threads/\(thread)/events/",
    ] {
      #expect(Route(path: Substring(path)) == .nothing, "\(path)")
    }
    #expect(Route.metrics.allows(.GET) && Route.metrics.allows(.HEAD) && !Route.metrics.allows(.POST))
    #expect(Route.call(.threadRead).allows(.POST) && !Route.call(.threadRead).allows(.GET))
  }
}
