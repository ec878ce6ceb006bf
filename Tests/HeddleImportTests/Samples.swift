// The sample rollouts, and histories to look at.

import Foundation
import HeddleCore
import HeddleImport

enum Samples {
  static let names = [
    "fork-0.144.4", "fork-mid-turn-0.144.4", "fork-source-0.144.4", "interrupt-0.144.4", "killed-mid-turn-0.144.4",
    "legacy-0.133.0", "mode-changes-0.144.4", "mode-changes-0.163.0", "pinning-0.137.0a4", "v1-child-0.144.4",
    "v1-parent-0.144.4", "v2-child-0.144.4", "v2-parent-0.144.4",
  ]

  static func bytes(_ name: String) throws -> [UInt8] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    return Array(try Data(contentsOf: folder.appending(path: "Fixtures/codex-rollouts/\(name).jsonl")))
  }

  static func history(_ name: String) throws -> ImportedHistory { try RolloutReader.read(bytes(name)) }
}
