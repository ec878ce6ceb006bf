// The output of the program: JSON on standard output, words on standard error.

import Foundation
import HeddleClient
import HeddleCore
import HeddleJSON
import HeddleProtocol

func printError(_ text: String) { _ = write(text, to: STDERR_FILENO) }

/// One line, at once: a reader at the other end of a pipe waits for it. False when nobody reads any more.
@discardableResult
func printLine(_ text: String) -> Bool { write(text, to: STDOUT_FILENO) }

/// Foundation's file handles end the process when a pipe is closed; a reader that has seen enough is no fault.
private func write(_ text: String, to descriptor: Int32) -> Bool {
  let bytes = Array((text + "\n").utf8)
  var sent = 0
  while sent < bytes.count {
    let count = bytes.withUnsafeBytes { unsafeWrite(descriptor, $0.baseAddress, $0.count, from: sent) }
    if count < 0 && errno == EINTR { continue }
    guard count > 0 else { return false }
    sent += count
  }
  return true
}

private func unsafeWrite(_ descriptor: Int32, _ base: UnsafeRawPointer?, _ count: Int, from sent: Int) -> Int {
  guard let base else { return 0 }
  return Foundation.write(descriptor, base + sent, count - sent)
}

extension JSONValue {
  static func count(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

  static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }
}

extension HeddleError {
  func json() throws -> String { try (refusal ?? WireError()).json() }
}

extension WireError {
  /// An error of the server as commands print it.
  func json() throws -> String {
    var codec = Codec()
    return try JSONTranscoder.json(codec.encode(self), schema: WireError.schemaIndex)
  }
}
