// heddle version

import ArgumentParser
import HeddleProtocol

struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version", abstract: "Print the version of the program and of the schema it speaks.")

  func run() {
    print("heddle \(Program.version), protocol 1, schema \(SchemaTable.hash)")
  }
}
