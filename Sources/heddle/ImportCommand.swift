// heddle import FILE… --data DIR

import ArgumentParser
import Foundation
import HeddleCore
import HeddleImport
import HeddleJSON
import HeddleProtocol
import HeddleRuntime
import HeddleStorage
import HeddleTokens

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Read Codex rollout files into a data folder.",
    discussion: """
      Prints one JSON object a file. A file that was imported before is not read in again. Exits 1 when a file could not \
      be imported; the others are imported all the same. Ends with 75 at a disk that is full or fails; give the same \
      files again when it does not. No server may run on the folder meanwhile. A thread whose provider is not in the \
      catalog is named on standard error: its turns would fail. --model lets all threads of the files go on with that \
      model; what happened before keeps the model that it ran on.
      """)

  /// One import runs at a time and waits for each of its writes.
  private static let lane = WriteLane(0)

  @Argument(help: "Rollout files, JSON lines.", completion: .file(extensions: ["jsonl"]))
  var files: [String]

  @Option(name: .long, help: "The data folder.")
  var data = "data"

  @Option(name: .long, help: "The tenant that the threads will belong to.")
  var tenant = "default"

  @Option(name: .long, help: "The model that the threads go on with.")
  var model: String?

  @Option(name: .long, help: "Its provider; without it the one that the catalog names for the model.")
  var provider: String?

  @Option(name: .long, help: "JSON file of the model catalog, as the server gets it (default: built in).")
  var catalog: String?

  @Option(name: .long, help: "JSON file of the server's settings, of which the catalog is taken.")
  var config: String?

  func validate() throws {
    if provider != nil, model == nil { throw ValidationError("--provider needs --model.") }
    if model?.isEmpty == true || provider?.isEmpty == true { throw ValidationError("An empty name names nothing.") }
    guard Principal.isTenant(tenant) else {
      throw ValidationError("--tenant: 1 to 256 visible ASCII characters without spaces, as a token names it")
    }
  }

  func run() async throws {
    let catalog: Catalog
    do { catalog = try ServeSettings.catalog(flag: self.catalog, file: config) } catch {
      printError("\(error)")
      throw Exit.configuration
    }
    let target = try target(catalog)
    let store: any Store
    do throws(StoreError) { store = try Stores.open(data) } catch {
      printError(describe(error, folder: data))
      if case .unusable = error { throw Exit.configuration }
      throw Exit.temporary
    }
    defer { store.close() }
    var failed = false
    for file in files {
      do {
        printLine(try await importFile(file, store, catalog, target).written())
      } catch {
        failed = true
        let failure = error as? StoreError
        let text = failure.map { describe($0, folder: data) } ?? "\(error)"
        printError("\(file): \(text)")
        printLine(JSONValue.object(["file": .text(file), "error": .text(text)]).written())
        // The others would fare no better (durability.md D8).
        if failure?.isOfStore == true { throw Exit.temporary }
      }
    }
    if failed { throw ExitCode.failure }
  }

  /// The model and provider that the options ask for.
  private func target(_ catalog: Catalog) throws -> (model: String, provider: String)? {
    guard let model else { return nil }
    guard let entry = catalog.model(model) else {
      if let provider { return (model, provider) }
      let known = catalog.models.map(\.id).joined(separator: ", ")
      throw ValidationError("The catalog has no `\(model)`, but \(known); name the server's --catalog, or --provider.")
    }
    guard provider == nil || provider == entry.provider else {
      throw ValidationError("The catalog has `\(model)` with the provider `\(entry.provider)`.")
    }
    return (entry.id, entry.provider)
  }

  private func importFile(
    _ file: String, _ store: any Store, _ catalog: Catalog, _ target: (model: String, provider: String)?
  ) async throws -> JSONValue {
    guard let bytes = FileManager.default.contents(atPath: file) else {
      throw ValidationError("the file cannot be read")
    }
    var history = try RolloutReader.read(Array(bytes))
    let end = history.events.last?.sequence ?? 0
    if let target { history.goOn(model: target.model, provider: target.provider) }
    let thread = ImportedThread(events: history.events, tenant: tenant)
    let (id, tenant) = (history.thread, tenant)
    let row = try await store.read { reader, _ throws(StoreError) in try reader.row(id, tenant: tenant) }
    var provider = history.settings.modelProvider
    if let row {
      // Changes of a client since then win, settings too.
      if row.sequence == end, thread.record.sequence > end {
        try await store.submit([thread.continuation(after: end)], lane: Self.lane)
      } else {
        provider = row.modelProvider
      }
      if let target, target.provider != provider {
        printError("\(file): the thread has changed since it was imported; it keeps the provider `\(provider)`")
      }
    } else {
      try await store.submit([thread.mutation], lane: Self.lane)
    }
    let isKnown = catalog.models.contains { $0.provider == provider }
    if !isKnown { warn(file, history.thread, provider, catalog) }
    return summary(file, history, thread, row == nil, provider: provider, isKnown: isKnown)
  }

  private func warn(_ file: String, _ thread: ThreadID, _ provider: String, _ catalog: Catalog) {
    let known = Set(catalog.models.map(\.provider)).sorted().joined(separator: ", ")
    printError(
      """
      \(file): the provider `\(provider)` of thread \(thread) is not in the catalog, which has \(known): turns of the \
      thread will fail with model_provider_missing. Import the file again with --model NAME --provider NAME, or name \
      the server's catalog with --catalog FILE.
      """)
  }

  private func summary(
    _ file: String, _ history: ImportedHistory, _ thread: ImportedThread, _ isNew: Bool, provider: String, isKnown: Bool
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
      "model_provider": .text(provider),
      "provider_in_catalog": .bool(isKnown),
    ])
  }
}
