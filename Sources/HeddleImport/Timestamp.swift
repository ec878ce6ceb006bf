// RFC 3339 to unix milliseconds. Rollouts write `2026-11-21T22:44:06.014Z`; offsets and other fractions are read too.

enum Timestamp {
  /// Milliseconds since 1970, fractions of a millisecond cut off; nil when the text is no time.
  static func milliseconds(_ text: String) -> Int64? {
    var scanner = Scanner(Array(text.utf8))
    guard let year = scanner.digits(4), scanner.skip("-"), let month = scanner.digits(2), scanner.skip("-"),
      let day = scanner.digits(2), scanner.skip("T") || scanner.skip("t") || scanner.skip(" "),
      let hour = scanner.digits(2), scanner.skip(":"), let minute = scanner.digits(2), scanner.skip(":"),
      let second = scanner.digits(2), let fraction = scanner.fraction(), let offset = scanner.offset(), scanner.isAtEnd
    else { return nil }
    // 60 is a leap second.
    guard (1...12).contains(month), (1...days(in: month, of: year)).contains(day), hour < 24, minute < 60, second <= 60
    else { return nil }
    let seconds = daysSince1970(year, month, day) * 86_400 + hour * 3_600 + minute * 60 + second - offset
    return seconds * 1_000 + fraction
  }

  /// When something was written. Nothing was before 1970, and nothing else here takes such a time.
  static func ofRecord(_ text: String) -> Int64? { milliseconds(text).flatMap { $0 < 0 ? nil : $0 } }

  private static func days(in month: Int64, of year: Int64) -> Int64 {
    switch month {
    case 2: year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28
    case 4, 6, 9, 11: 30
    default: 31
    }
  }

  /// Counts in years that begin in March, so that the leap day is the last of its year.
  private static func daysSince1970(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let marchYear = month > 2 ? year : year - 1
    let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
    let yearOfEra = marchYear - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private struct Scanner {
    private let bytes: [UInt8]
    private var at = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    var isAtEnd: Bool { at == bytes.count }

    mutating func skip(_ character: Unicode.Scalar) -> Bool {
      guard at < bytes.count, bytes[at] == UInt8(ascii: character) else { return false }
      at += 1
      return true
    }

    mutating func digit() -> Int64? {
      guard at < bytes.count, bytes[at] >= UInt8(ascii: "0"), bytes[at] <= UInt8(ascii: "9") else { return nil }
      at += 1
      return Int64(bytes[at - 1] - UInt8(ascii: "0"))
    }

    mutating func digits(_ count: Int) -> Int64? {
      var value: Int64 = 0
      for _ in 0..<count {
        guard let digit = digit() else { return nil }
        value = value * 10 + digit
      }
      return value
    }

    /// Milliseconds; 0 when there is no fraction.
    mutating func fraction() -> Int64? {
      guard skip(".") else { return 0 }
      guard var value = digit() else { return nil }
      var count = 1
      while let digit = digit() {
        if count < 3 { value = value * 10 + digit }
        count += 1
      }
      return count >= 3 ? value : count == 2 ? value * 10 : value * 100
    }

    /// Seconds east of Greenwich.
    mutating func offset() -> Int64? {
      if skip("Z") || skip("z") { return 0 }
      let east = skip("+")
      guard east || skip("-"), let hours = digits(2), skip(":"), let minutes = digits(2), hours < 24, minutes < 60
      else { return nil }
      return (hours * 3_600 + minutes * 60) * (east ? 1 : -1)
    }
  }
}
