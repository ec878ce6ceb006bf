// Page cursors: opaque, and signed over tenant, query and position, so that a changed one, another tenant's and another
// list's are refused alike (rules.md T8, attacks.md M17).

import Crypto
import Foundation
import HeddleCore

/// Makes and reads cursors. The key lives with the data, so a cursor outlives a restart.
public struct CursorSigner: Sendable {
  private let key: SymmetricKey
  private static let macBytes = 16

  public init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  /// `query`: the canonical bytes of the request without cursor and page size.
  package func sign(_ position: [UInt8], tenant: String, method: Method, query: [UInt8]) -> String {
    let bytes = position + mac(position, tenant, method, query)
    return Data(bytes).base64EncodedString().replacingOccurrences(of: "+", with: "-")
      .replacingOccurrences(of: "/", with: "_").replacingOccurrences(of: "=", with: "")
  }

  /// The position of a cursor; nil for the first page.
  package func position(
    _ cursor: String, bytes count: Int, tenant: String, method: Method, query: [UInt8]
  ) throws(Refusal) -> [UInt8]? {
    guard !cursor.isEmpty else { return nil }
    var text = cursor.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
    while text.utf8.count % 4 != 0 { text += "=" }
    guard cursor.utf8.count <= 256, let data = Data(base64Encoded: text), data.count == count + Self.macBytes else {
      throw Refusal(.badCursor)
    }
    let position = Array(data.prefix(count))
    var difference: UInt8 = 0
    for (a, b) in zip(data.suffix(Self.macBytes), mac(position, tenant, method, query)) { difference |= a ^ b }
    guard difference == 0 else { throw Refusal(.badCursor) }
    return position
  }

  private func mac(_ position: [UInt8], _ tenant: String, _ method: Method, _ query: [UInt8]) -> [UInt8] {
    var hash = HMAC<SHA256>(key: key)
    // Lengths in front of what varies, so that no two inputs run together.
    for part in [Array(tenant.utf8), Array(method.path.utf8), query, position] {
      hash.update(data: withUnsafeBytes(of: UInt64(part.count).bigEndian) { Data($0) })
      hash.update(data: Data(part))
    }
    return Array(hash.finalize().prefix(Self.macBytes))
  }
}

extension UInt64 {
  var bigEndianBytes: [UInt8] { Swift.withUnsafeBytes(of: bigEndian) { Array($0) } }

  init(bigEndianBytes bytes: some Sequence<UInt8>) { self = bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
