// The tokens of simulated clients: static ones, and web tokens that end in the middle of the work. The server reads the
// files that these are made for, as a server does.

import Crypto
import Glibc
import HeddleTokens

enum Tokens {
  private static let word = String(repeating: "t", count: 32)
  private static let secret = String(repeating: "simulated-", count: 4)
  static let tenants = ["left", "right"]
  /// Seconds for which an ended token still counts.
  static let leeway: Int64 = 1

  static func unending(_ tenant: String) -> String { word + tenant }

  /// A web token until `ends`, in seconds since 1970.
  static func brief(_ tenant: String, ends: Int64, isForged: Bool = false) -> String {
    let header = text(Array(#"{"alg":"HS256"}"#.utf8))
    let signed = header + "." + text(Array(#"{"tenant":"\#(tenant)","exp":\#(ends)}"#.utf8))
    let key = SymmetricKey(data: Array((isForged ? "not-" + secret : secret).utf8))
    return signed + "." + text(Array(HMAC<SHA256>.authenticationCode(for: Array(signed.utf8), using: key)))
  }

  /// The server's authentication: files with the tokens of all tenants.
  static func authentication() async throws -> Authentication {
    var folder = Array("/tmp/heddle-simulated-XXXXXX".utf8CString)
    guard mkdtemp(&folder) != nil else { throw Violation(text: "there is no room for the files of tokens") }
    let path = String(decoding: folder.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let files = ["\(path)/tokens", "\(path)/secrets"]
    defer {
      for file in files { unlink(file) }
      rmdir(path)
    }
    try write(tenants.map { "\(unending($0)) \($0)\n" }.joined(), to: files[0])
    try write(secret + "\n", to: files[1])
    var web = WebTokenConfiguration(algorithms: [.hs256])
    web.secretFile = files[1]
    web.leewaySeconds = leeway
    return try await Authentication(tokenFile: files[0], webTokens: web)
  }

  private static func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw Violation(text: "\(path) cannot be written") }
    defer { fclose(file) }
    fchmod(fileno(file), 0o600)
    fputs(text, file)
  }

  /// RFC 4648, the alphabet for file names, without padding.
  private static func text(_ bytes: [UInt8]) -> String {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    var out: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let piece = bytes[start..<min(start + 3, bytes.count)]
      let bits = piece.reduce(UInt32(0)) { $0 << 8 | UInt32($1) } << (8 * UInt32(3 - piece.count))
      for index in 0...UInt32(piece.count) { out.append(letters[Int(bits >> (18 - 6 * index) & 63)]) }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
