// Addresses and ranges of addresses: who may say whose a connection is.

import Foundation

/// An IPv4 or IPv6 address. One of IPv4 in IPv6's form (`::ffff:10.0.0.1`) is the one of IPv4.
package struct IPAddress: Equatable, Hashable, Sendable, CustomStringConvertible {
  /// 4 or 16 bytes.
  let bytes: [UInt8]

  var isFour: Bool { bytes.count == 4 }

  /// Reads the text form, without a zone.
  package init?(_ text: String) {
    var four = in_addr()
    var six = in6_addr()
    if text.utf8.count <= 15, inet_pton(AF_INET, text, &four) == 1 {
      self.init(four: withUnsafeBytes(of: &four) { Array($0) }[...])
    } else if text.utf8.count <= 45, inet_pton(AF_INET6, text, &six) == 1 {
      self.init(six: withUnsafeBytes(of: &six) { Array($0) }[...])
    } else {
      return nil
    }
  }

  init(four bytes: some Collection<UInt8>) { self.bytes = Array(bytes.prefix(4)) }

  init(six bytes: some Collection<UInt8>) {
    let bytes = Array(bytes.prefix(16))
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    self.bytes = isMapped ? Array(bytes[12...]) : bytes
  }

  package var description: String {
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let family = isFour ? AF_INET : AF_INET6
    _ = bytes.withUnsafeBytes { inet_ntop(family, $0.baseAddress, &text, socklen_t(text.count)) }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// A range of addresses, `10.0.0.0/8`; a single address is a range of one.
public struct AddressRange: Equatable, Sendable {
  private let base: IPAddress
  private let prefixBits: Int

  public init?(_ text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, let base = IPAddress(String(first)) else { return nil }
    let most = base.bytes.count * 8
    guard parts.count == 2 else {
      (self.base, prefixBits) = (base, most)
      return
    }
    guard !parts[1].isEmpty, parts[1].utf8.allSatisfy({ (0x30...0x39).contains($0) }), let bits = Int(parts[1]),
      bits <= most
    else { return nil }
    (self.base, prefixBits) = (base, bits)
  }

  package func contains(_ address: IPAddress) -> Bool {
    guard address.bytes.count == base.bytes.count else { return false }
    var rest = prefixBits
    for (a, b) in zip(address.bytes, base.bytes) {
      guard rest > 0 else { return true }
      let mask: UInt8 = rest >= 8 ? 0xFF : ~(0xFF >> UInt8(rest))
      guard a & mask == b & mask else { return false }
      rest -= 8
    }
    return true
  }
}

/// The senders whose PROXY headers and identity headers are believed.
public struct TrustedProxies: Equatable, Sendable {
  private let ranges: [AddressRange]

  public init(_ ranges: [AddressRange]) { self.ranges = ranges }

  package var isEmpty: Bool { ranges.isEmpty }

  package func contains(_ address: String) -> Bool {
    guard !isEmpty, let address = IPAddress(address) else { return false }
    return ranges.contains { $0.contains(address) }
  }
}
