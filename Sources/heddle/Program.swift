// The version of the program, and its exit codes.

import ArgumentParser

enum Program {
  static let version = "0.1.0"
}

/// Exit codes beyond 0 and 1, as sysexits.h has them.
enum Exit {
  /// Something that may pass by itself: the folder is in use, the disk failed.
  static let temporary = ExitCode(75)
  /// The configuration has to be mended first.
  static let configuration = ExitCode(78)
}
