// What came of a step, as a Report's field and its message.

import HeddleClient
import HeddleCore
import HeddleProtocol

struct Report: Sendable {
  let field: UInt64
  let message: [UInt8]

  init(_ field: UInt64, _ message: Written = Written()) {
    self.field = field
    self.message = message.bytes
  }

  static let done = Report(2)
  static let ended = Report(6)
  static let nothing = Report(7)

  static func answer(_ message: [UInt8]) -> Report { Report(3, Written().bytes(1, message)) }

  static func event(_ event: SubscriptionEvent) -> Report {
    var codec = Codec()
    return Report(5, Written().bytes(1, codec.encode(event)))
  }

  static func failed(_ error: any Error) -> Report {
    guard let error = error as? HeddleError else {
      return Report(4, Written().text(1, "\(type(of: error))").text(4, "\(error)"))
    }
    var out = Written().text(1, error.kind.rawValue).text(2, error.code?.name ?? "").text(3, error.reason)
      .text(4, "\(error)").text(6, error.refusal?.debugId ?? "").number(7, UInt64(error.attempts))
      .number(8, error.mayHaveHappened ? 1 : 0)
    for (name, value) in error.details { out = out.message(5, Written().text(1, name).text(2, value)) }
    return Report(4, out)
  }

  static func counts(begun: [String: Int], cancelled: [String: Int]) -> Report {
    var out = Written()
    for (field, counts) in [(1, begun), (2, cancelled)] as [(UInt64, [String: Int])] {
      for (name, count) in counts { out = out.message(field, Written().text(1, name).number(2, UInt64(count))) }
    }
    return Report(10, out)
  }

  static func leftOut(_ why: String) -> Report { Report(12, Written().text(1, why)) }

  /// As it goes to the runner, behind its length.
  func framed(_ id: UInt64) -> [UInt8] {
    let body = Written().number(1, id).bytes(field, message).bytes
    return withUnsafeBytes(of: UInt32(body.count).bigEndian) { Array($0) } + body
  }
}
