// Operators plan by docs/configuration.md: every limit is there, with its default.

import Foundation
import HeddleCore
import Testing

@Suite struct LimitsTests {
  /// The document's defaults, by name; a row may have several names with as many values.
  private static func documented() throws -> [String: String] {
    let document = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/configuration.md")
    let text = String(decoding: try Data(contentsOf: document), as: UTF8.self)
    var found: [String: String] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("| `") {
      let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard cells.count > 1 else { continue }
      let names = cells[0].replacingOccurrences(of: "`", with: "").components(separatedBy: ", ")
      let values = cells[1].components(separatedBy: ", ").map { $0.replacingOccurrences(of: ",", with: "") }
      for (name, value) in zip(names, values) { found[name] = value == "1 GiB" ? "\(1 << 30)" : value }
    }
    return found
  }

  @Test("configuration.md, T5: every limit has the default that the document says; 30 minutes until unloading is one")
  func defaults() throws {
    let documented = try Self.documented()
    for limit in Mirror(reflecting: Limits()).children {
      let name = try #require(limit.label)
      #expect(documented[name] == "\(limit.value)", "\(name)")
    }
    #expect(documented["unloadMilliseconds"] == "\(30 * 60 * 1_000)")
  }
}
