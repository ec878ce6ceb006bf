// Files of credentials: read whole, and only when no other user can read the secrets or change the keys in them.

import Foundation

/// A file of tokens, secrets or keys that cannot be used; the text proposes a remedy and holds nothing of the content.
public struct CredentialFileError: Error, CustomStringConvertible {
  public let description: String

  package init(description: String) { self.description = description }
}

package enum CredentialFile {
  package enum Kind {
    /// A reader of the file can come in.
    case secret
    /// A writer of the file can come in.
    case publicKey
  }

  static let maximumBytes = 1 << 20

  package static func read(_ path: String, _ kind: Kind, what: String) throws(CredentialFileError) -> String {
    var info = stat()
    guard stat(path, &info) == 0, info.st_mode & S_IFMT == S_IFREG else {
      throw CredentialFileError(description: "cannot read the \(what) \(path)")
    }
    // A secret that the system hands to a group belongs to root: so do those of a container's volume.
    let closed: mode_t = info.st_uid == 0 && geteuid() != 0 ? 0o037 : 0o077
    if kind == .secret, info.st_mode & closed != 0 {
      throw CredentialFileError(description: "the \(what) \(path) can be read by others; run: chmod 600 \(path)")
    }
    if info.st_mode & 0o022 != 0 {
      throw CredentialFileError(description: "the \(what) \(path) can be written by others; run: chmod go-w \(path)")
    }
    guard info.st_size <= Self.maximumBytes, let text = try? String(contentsOfFile: path, encoding: .utf8) else {
      throw CredentialFileError(description: "the \(what) \(path) cannot be read as UTF-8 text of at most 1 MiB")
    }
    return text
  }

  /// Lines of words; empty ones and comments are left out.
  static func lines(_ text: String) -> [(number: Int, words: [String])] {
    text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().compactMap { number, line in
      let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let first = words.first, !first.hasPrefix("#") else { return nil }
      return (number + 1, words)
    }
  }
}

/// The values that differ if a file is not the one that was read.
package struct FileStamp: Equatable, Sendable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  /// Nil while there is no such file.
  package init?(_ path: String) {
    var info = stat()
    guard stat(path, &info) == 0 else { return nil }
    device = UInt64(info.st_dev)
    inode = UInt64(info.st_ino)
    size = Int64(info.st_size)
    seconds = info.st_mtim.tv_sec
    nanoseconds = info.st_mtim.tv_nsec
  }
}
