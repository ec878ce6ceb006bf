// The audit log: methods of operators, deletions of threads, credentials that were refused, files that were read again.
// One JSON object a line, in a file that only its owner reads. A line stands in the file before the method that it names
// runs; it is written but not synced.

import Foundation
import HeddleJSON
import HeddleMetrics
import Synchronization

/// Why the file cannot be written.
public struct AuditFault: Error, CustomStringConvertible {
  public let description: String
}

/// An open audit file. Lines of all loops go through one lock: what is audited is rare.
public final class AuditLog: Sendable {
  private struct File {
    var descriptor: CInt
    /// The last write stopped in the middle of a line.
    var isTorn = false
    var second: Int64 = 0
    var refusals = 0
  }

  /// Lines about strangers in a second. What they may not do is told; they may not fill the disk by it.
  static let refusalsPerSecond = 100

  private let path: String
  /// Methods that are audited are refused while they cannot be written down.
  public let isRequired: Bool
  private let file: Mutex<File>
  private let metrics: Mutex<TelemetryMetrics?> = Mutex(nil)

  public init(path: String, isRequired: Bool) throws(AuditFault) {
    self.path = path
    self.isRequired = isRequired
    file = Mutex(File(descriptor: try Self.opened(path)))
  }

  deinit { _ = file.withLock { close($0.descriptor) } }

  /// Lines that are lost are counted here from now on.
  func count(in metrics: TelemetryMetrics) { self.metrics.withLock { $0 = metrics } }

  private static func opened(_ path: String) throws(AuditFault) -> CInt {
    // A pipe that nobody reads must hold nobody up: its lines are lost.
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
    guard descriptor >= 0 else { throw AuditFault(description: "\(path): \(String(cString: strerror(errno)))") }
    return descriptor
  }

  /// The path names another file since it was rotated. On a failure the old file is written on.
  public func reopen() throws(AuditFault) {
    let fresh = try Self.opened(path)
    let old = file.withLock { file in
      defer { file = File(descriptor: fresh) }
      return file.descriptor
    }
    close(old)
  }

  /// Adds a line. False: it is not in the file.
  @discardableResult
  public func note(_ event: AuditEvent, at milliseconds: Int64) -> Bool {
    let members = [
      JSONValue.Member("time", .text(Self.text(ofTime: milliseconds))), JSONValue.Member("event", .text(event.name)),
    ]
    let line = Array((JSONValue.object(members + event.members).written() + "\n").utf8)
    let isWritten = file.withLock { file in
      guard !event.isStrangers || Self.admits(&file, milliseconds) else { return false }
      return Self.append(line, to: &file)
    }
    if !isWritten { metrics.withLock { $0?.auditLost.add(1) } }
    return isWritten
  }

  private static func admits(_ file: inout File, _ milliseconds: Int64) -> Bool {
    if milliseconds / 1_000 != file.second {
      file.second = milliseconds / 1_000
      file.refusals = 0
    }
    file.refusals += 1
    return file.refusals <= refusalsPerSecond
  }

  private static func append(_ line: [UInt8], to file: inout File) -> Bool {
    // The rest of a torn line is never written: the line counted as lost.
    let bytes = file.isTorn ? [UInt8(ascii: "\n")] + line : line
    let count = bytes.withUnsafeBytes { write(file.descriptor, $0.baseAddress, $0.count) }
    if count > 0 { file.isTorn = count < bytes.count }
    return count == bytes.count
  }

  private static func text(ofTime milliseconds: Int64) -> String {
    // Half a millisecond more: the style cuts off, and few of these numbers are exact.
    Date(timeIntervalSince1970: Double(milliseconds) / 1_000 + 0.000_5)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }
}

/// A line of the audit log.
public struct AuditEvent: Sendable {
  let name: String
  let members: [JSONValue.Member]
  /// Anybody who reaches the server can cause it.
  let isStrangers: Bool

  init(_ name: String, _ members: [(String, String?)], isStrangers: Bool = false) {
    self.name = name
    self.members = members.compactMap { name, text in text.map { JSONValue.Member(name, .text($0)) } }
    self.isStrangers = isStrangers
  }

  init(_ name: String, _ members: [JSONValue.Member]) {
    self.name = name
    self.members = members
    isStrangers = false
  }

  /// Files of credentials were read again, or could not be used: then `cause` says why.
  public static func reload(_ subject: String, cause: String?) -> AuditEvent {
    AuditEvent("reload", [("subject", subject), ("outcome", cause == nil ? "renewed" : "failed"), ("cause", cause)])
  }
}
