// What the program prints: JSON on standard output, words on standard error.

import Foundation
import HeddleProtocol

func printError(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

/// One line, at once: a reader at the other end of a pipe waits for it.
func printLine(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

extension JSONValue {
  static func count(_ value: some BinaryInteger) -> JSONValue { .number("\(value)") }

  static func object(_ members: KeyValuePairs<String, JSONValue>) -> JSONValue {
    .object(members.map { Member($0.key, $0.value) })
  }
}
