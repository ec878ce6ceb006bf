// Heads of calls: content types, times and the text of errors.

import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleRPC

@Suite struct CallHeadTests {
  @Test func contentTypes() {
    #expect(CallProtocol(contentType: "application/grpc") == .grpc)
    #expect(CallProtocol(contentType: "application/grpc+proto;charset=utf-8") == .grpc)
    #expect(CallProtocol(contentType: "application/json") == .connectUnary(isJSON: true))
    #expect(CallProtocol(contentType: "application/connect+proto") == .connectStream(isJSON: false))
    #expect(CallProtocol(contentType: "application/grpc-web") == nil)
    #expect(CallProtocol(contentType: "text/plain") == nil)
    #expect(CallProtocol(contentType: "") == nil)
  }

  @Test func timesOfGRPCAreRoundedUpToMilliseconds() {
    #expect(CallTimeout.grpc("1H") == 3_600_000)
    #expect(CallTimeout.grpc("2M") == 120_000)
    #expect(CallTimeout.grpc("3S") == 3_000)
    #expect(CallTimeout.grpc("4m") == 4)
    #expect(CallTimeout.grpc("1u") == 1)
    #expect(CallTimeout.grpc("1001u") == 2)
    #expect(CallTimeout.grpc("1n") == 1)
    #expect(CallTimeout.grpc("0n") == 0)
  }

  @Test func timesOfGRPCAreADayAtMost() {
    #expect(CallTimeout.grpc("99999999H") == 86_400_000)
    #expect(CallTimeout.grpc("99999999S") == 86_400_000)
  }

  @Test(arguments: ["", "S", "5", "-1S", "1s", "1.5S", "100000000S", " 1S", "1 S", "１S"])
  func timesThatCannotBeRead(_ text: String) { #expect(CallTimeout.grpc(text) == nil) }

  @Test func timesOfConnect() {
    #expect(CallTimeout.connect("0") == 0)
    #expect(CallTimeout.connect("9999999999") == 86_400_000)
    #expect(CallTimeout.connect("10000000000") == nil)
    #expect(CallTimeout.connect("1m") == nil)
    #expect(CallTimeout.connect("") == nil)
  }

  @Test func pathsNameMethods() {
    #expect(MethodPaths.method("/heddle.v1.ThreadService/Read") == .threadRead)
    #expect(MethodPaths.method("/heddle.v1.ThreadService/read") == nil)
    #expect(MethodPaths.method("heddle.v1.ThreadService/Read") == nil)
    #expect(MethodPaths.method("/heddle.v1.ThreadService/Read/") == nil)
  }

  @Test func messagesArePercentEncoded() {
    #expect(String(decoding: PercentCoding.encode("plain text"), as: UTF8.self) == "plain text")
    #expect(String(decoding: PercentCoding.encode("100%\n"), as: UTF8.self) == "100%25%0A")
    #expect(String(decoding: PercentCoding.encode("ü"), as: UTF8.self) == "%C3%BC")
  }

  @Test func headsOfConnect() {
    func head(version: String? = nil, coding: String? = nil, streamCoding: String? = nil, timeout: String? = nil)
      -> ConnectHead
    { ConnectHead(version: version, coding: coding, streamCoding: streamCoding, timeout: timeout) }
    #expect(head(version: "1", coding: "Identity").refusal(isStream: false)?.error == nil)
    #expect(head(version: "2").refusal(isStream: false)?.error.reason == "unsupported_version")
    // Each kind of call has a header of its own for its compression.
    #expect(head(coding: "gzip").refusal(isStream: false)?.error.code == .unimplemented)
    #expect(head(coding: "gzip").refusal(isStream: true)?.error == nil)
    #expect(head(streamCoding: "gzip").refusal(isStream: true)?.error.reason == "unknown_flags")
    #expect(head().deadlineMilliseconds == .success(nil))
    #expect(head(timeout: "300").deadlineMilliseconds == .success(300))
    #expect(head(timeout: "0").deadlineMilliseconds == .failure(Refusal(.deadlineExceeded)))
    #expect(
      head(timeout: "1m").deadlineMilliseconds == .failure(Refusal(.outOfRange, [("field", "connect-timeout-ms")])))
  }
}
