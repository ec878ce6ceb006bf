// The request of a call: as it stands on the command line, from standard input (`-`) or from a file (`@FILE`).

import ArgumentParser
import Foundation

enum CallInput {
  /// Several times what any frame holds as JSON; it keeps an endless input from filling the memory.
  private static let maximumBytes = 256 << 20

  static func text(_ argument: String) throws -> String {
    if argument == "-" { return try read(STDIN_FILENO, "standard input") }
    guard argument.hasPrefix("@") else { return argument }
    let path = String(argument.dropFirst())
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw refuse("\(path) cannot be read: \(String(cString: strerror(errno)))") }
    defer { close(descriptor) }
    return try read(descriptor, path)
  }

  private static func read(_ descriptor: Int32, _ name: String) throws -> String {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Foundation.read(descriptor, &piece, piece.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw refuse("\(name) cannot be read: \(String(cString: strerror(errno)))") }
      if count == 0 { break }
      bytes += piece[..<count]
      guard bytes.count <= maximumBytes else { throw refuse("\(name) has more than \(maximumBytes) bytes") }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw refuse("\(name) is not UTF-8") }
    return text
  }

  private static func refuse(_ text: String) -> ExitCode {
    printError("Error: \(text)")
    return .validationFailure
  }
}
