// The corpora of the fuzzer, in an ordinary build: what once was found stays found, without a fuzzer.

import Foundation
import HeddleFuzzing
import HeddleProtocol
import Testing

// One after the other: the simulated disk is one for the process.
@Suite(.serialized) struct CorpusTests {
  private static func inputs(_ target: FuzzTarget) throws -> [URL] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/Corpora")
    return try FileManager.default.contentsOfDirectory(
      at: folder.appending(path: target.rawValue), includingPropertiesForKeys: nil
    ).sorted { $0.lastPathComponent < $1.lastPathComponent }
  }

  @Test("No input of the corpora finds anything", arguments: FuzzTarget.allCases)
  func replay(_ target: FuzzTarget) throws {
    let inputs = try Self.inputs(target)
    #expect(!inputs.isEmpty)
    for input in inputs {
      let bytes = Array(try Data(contentsOf: input))
      do throws(Finding) { try target.run(bytes) } catch {
        Issue.record("\(input.lastPathComponent): \(error.text)")
      }
    }
  }

  @Test("Every message of the schema is fuzzed, and each has a number of its own")
  func everyMessage() {
    let names = FuzzTarget.messageNames
    let schema = (0..<UInt16(SchemaTable.messageCount)).compactMap { SchemaTable.messageName($0) }
    #expect(names.values.sorted() == schema.sorted())
  }

  @Test("A script is read as it was written")
  func scripts() throws {
    for input in try Self.inputs(.session) {
      let bytes = Array(try Data(contentsOf: input))
      let written = FuzzTarget.rewritten(script: bytes)
      #expect(FuzzTarget.rewritten(script: written) == written)
    }
  }
}
