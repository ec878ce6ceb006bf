// heddle import FILE… --data DIR

import ArgumentParser
import Foundation
import HeddleCore
import HeddleImport
import HeddleProtocol
import HeddleRuntime
import HeddleServer
import HeddleStorage
import Synchronization

struct ImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Read Codex rollout files into a data folder.",
    discussion: """
      Prints one JSON object a file. A file that was imported before is left as it is. Exits 1 when a file could not \
      be imported; the others are imported all the same. Ends with 75 at a disk that is full or fails; give the same \
      files again when it does not. No server may run on the folder meanwhile.
      """)

  @Argument(help: "Rollout files, JSON lines.", completion: .file(extensions: ["jsonl"]))
  var files: [String]

  @Option(name: .long, help: "The data folder.")
  var data = "data"

  @Option(name: .long, help: "The tenant that the threads will belong to.")
  var tenant = "default"

  func validate() throws {
    guard Principal.isTenant(tenant) else {
      throw ValidationError("--tenant: 1 to 256 visible ASCII characters without spaces, as a token names it")
    }
  }

  func run() throws {
    let store: SQLiteStore
    do throws(StoreError) { store = try SQLiteStore(folder: data) } catch {
      printError(describe(error, folder: data))
      if case .unusable = error { throw Exit.configuration }
      throw Exit.temporary
    }
    defer { store.close() }
    var failed = false
    for file in files {
      do {
        printLine(try importFile(file, store).written())
      } catch {
        failed = true
        let failure = error as? StoreError
        let text = failure.map { describe($0, folder: data) } ?? "\(error)"
        printError("\(file): \(text)")
        printLine(JSONValue.object(["file": .text(file), "error": .text(text)]).written())
        // The others would fare no better (durability.md D8).
        if failure?.isOfDisk == true { throw Exit.temporary }
      }
    }
    if failed { throw ExitCode.failure }
  }

  private func importFile(_ file: String, _ store: SQLiteStore) throws -> JSONValue {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw ValidationError("the file cannot be read")
    }
    let history = try RolloutReader.read(Array(bytes))
    let isNew = try store.row(history.thread, tenant: tenant) == nil
    let thread = ImportedThread(events: history.events, tenant: tenant)
    if isNew { try write(thread.mutation, store) }
    return summary(file, history, thread, isNew)
  }

  /// Waits for the sync.
  private func write(_ mutation: Mutation, _ store: SQLiteStore) throws(StoreError) {
    let done = DispatchSemaphore(value: 0)
    let result = Mutex<Result<Void, StoreError>>(.success(()))
    store.submit([mutation]) { outcome in
      result.withLock { $0 = outcome }
      done.signal()
    }
    done.wait()
    try result.withLock { $0 }.get()
  }

  private func summary(
    _ file: String, _ history: ImportedHistory, _ thread: ImportedThread, _ isNew: Bool
  ) -> JSONValue {
    func mode(_ mode: MultiAgentMode?) -> JSONValue { mode.map { .text($0.name) } ?? .null }
    for line in history.skippedLines { printError("\(file):\(line.number): skipped: \(line.reason)") }
    for sequence in thread.cutEvents {
      printError("\(file): event \(sequence) is larger than a frame: what was in it is left out")
    }
    return .object([
      "file": .text(file),
      "thread": .text(history.thread.description),
      "turns": .count(history.turnCount),
      "items": .count(history.itemCount),
      "skipped_lines": .count(history.skippedLines.count),
      "cut_events": .count(thread.cutEvents.count),
      "version": history.version == .unspecified ? .null : .text(history.version.name),
      "version_source": .text(history.versionSource.name.lowercased()),
      "selected_mode": mode(history.settings.mode),
      "effective_modes": .list(history.effectiveModes.map(mode)),
      "last_turn_status": history.lastTurnStatus.map { .text($0.name.lowercased()) } ?? .null,
      "foreign_lines": .count(history.foreignLines),
      "imported": .bool(isNew),
    ])
  }
}
