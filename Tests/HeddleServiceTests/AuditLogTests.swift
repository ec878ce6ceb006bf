import Foundation
import HeddleMetrics
import Testing

@testable import HeddleService

@Suite struct AuditLogTests {
  private func path() -> String { FileManager.default.temporaryDirectory.path + "/audit-" + UUID().uuidString }

  private func lines(_ path: String) throws -> [String] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
  }

  @Test("A line is one JSON object, whatever the texts in it are")
  func text() throws {
    let path = path()
    let log = try AuditLog(path: path, isRequired: false)
    #expect(log.note(AuditEvent("call", [("name", "a\n\"b\u{2028}"), ("via", nil)]), at: 1_700_000_000_123))
    let line = try #require(try lines(path).first)
    #expect(line.hasPrefix(#"{"time":"2023-11-14T22:13:20.123Z","event":"call","name":"a\n\"b"#))
    #expect(try lines(path).count == 1)
  }

  @Test("Lines about strangers stop at a hundred a second, others do not, and each lost one is counted")
  func strangers() throws {
    let path = path()
    let metrics = TelemetryMetrics()
    let log = try AuditLog(path: path, isRequired: false)
    log.count(in: metrics)
    for _ in 0..<150 { log.note(AuditEvent("refused", [], isStrangers: true), at: 5_000) }
    #expect(try lines(path).count == 100 && metrics.auditLost.value == 50)
    #expect(log.note(AuditEvent("call", [(String, String?)]()), at: 5_000))
    #expect(log.note(AuditEvent("refused", [], isStrangers: true), at: 6_000))
    #expect(try lines(path).count == 102)
  }

  @Test("A file that cannot be opened anew leaves the old one in use")
  func reopening() throws {
    let folder = path()
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let log = try AuditLog(path: folder + "/audit", isRequired: true)
    try FileManager.default.moveItem(atPath: folder, toPath: folder + ".old")
    #expect(throws: AuditFault.self) { try log.reopen() }
    #expect(log.note(.reload("tokens", cause: nil), at: 1))
    #expect(try lines(folder + ".old/audit").count == 1)
  }

  @Test("A pipe that nobody reads holds nobody up")
  func pipe() throws {
    let path = path()
    #expect(mkfifo(path, 0o600) == 0)
    #expect(throws: AuditFault.self) { try AuditLog(path: path, isRequired: false) }
    let reader = open(path, O_RDONLY | O_NONBLOCK)
    let log = try AuditLog(path: path, isRequired: false)
    let text = String(repeating: "x", count: 4_000)
    while log.note(AuditEvent("call", [("text", text)]), at: 1) {}
    #expect(reader >= 0)
    close(reader)
  }
}
