// Input: a file of Codex.
//
// The importer gives a history that keeps the rules, is the same each time and can be stored; or an error with a text.

import HeddleCore
import HeddleImport
import HeddleProtocol

enum FuzzedRollouts {
  static func run(_ bytes: UnsafeRawBufferPointer) throws(Finding) {
    let file = Array(bytes)
    guard let history = try read(file) else { return }
    if FuzzPlant.rollout.isSet { FuzzPlant.trustLines(history.skippedLines.map(\.number)) }
    let found = historyViolations(in: history)
    guard found.isEmpty else { throw Finding(found.joined(separator: "; ")) }
    guard try read(file) == history else { throw Finding("the same bytes give two histories (I1)") }
    var codec = Codec()
    for event in history.events {
      let packed = codec.encode(event)
      guard (try? codec.decodeTrusted(Event.self, packed)) == event else {
        throw Finding("event \(event.sequence) is another one when it is read from disk: \(event)")
      }
    }
  }

  private static func read(_ file: [UInt8]) throws(Finding) -> ImportedHistory? {
    do throws(RolloutError) { return try RolloutReader.read(file) } catch {
      guard !error.description.isEmpty else { throw Finding("an error without words") }
      return nil
    }
  }
}
