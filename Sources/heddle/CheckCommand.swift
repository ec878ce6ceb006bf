// heddle check DIR

import ArgumentParser
import HeddleJSON
import HeddleStorage

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Verify a data folder at rest.",
    discussion: "Exits 0 when every invariant holds, 1 when one is broken, 75 when a server holds the folder.")

  @Argument(help: "The data folder.")
  var folder: String

  @Flag(
    name: .long,
    help: "Give pages the checksum of what is in them, if nothing else is wrong: for a copy that SQLite's tools made.")
  var reseal = false

  func run() throws {
    let problems: [String]
    do throws(StoreError) {
      problems = try reseal ? Stores.reseal(folder) : Stores.check(folder)
    } catch {
      printError(describe(error, folder: folder))
      if case .inUse = error { throw Exit.temporary }
      throw ExitCode.failure
    }
    for problem in problems { printError(problem) }
    printLine(
      JSONValue.object([
        "folder": .text(folder), "healthy": .bool(problems.isEmpty), "problems": .count(problems.count),
      ])
      .written())
    if !problems.isEmpty { throw ExitCode.failure }
  }
}
