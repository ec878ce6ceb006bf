// When a failed request is made again, and after which wait. Pure: chance and time are handed in.

/// How often, and how far apart. Milliseconds.
public struct RetryPolicy: Equatable, Sendable {
  /// Further tries after the first.
  public var retries = 4
  /// Upper bound of the first wait; it doubles with each try.
  public var base: Int64 = 500
  /// No wait is longer. A provider that asks for more is not asked again.
  public var maximum: Int64 = 60_000

  public init(retries: Int = 4, base: Int64 = 500, maximum: Int64 = 60_000) {
    self.retries = retries
    self.base = base
    self.maximum = maximum
  }

  /// The wait after a try that failed, the first being 1; nil: no further try. `fraction`, from 0 up to 1, spreads the
  /// tries of many threads over the whole wait, so that they do not come back as one wave. What the provider asked for
  /// is never cut short.
  func wait(after attempt: Int, retryAfter: Int64?, fraction: Double) -> Int64? {
    guard attempt <= retries else { return nil }
    var bound = max(0, min(base, maximum))
    for _ in 1..<max(attempt, 1) where bound < maximum { bound = min(maximum, bound * 2) }
    guard let retryAfter else { return Int64(fraction * Double(bound)) }
    guard retryAfter <= maximum else { return nil }
    return min(maximum, max(0, retryAfter) + Int64(fraction * Double(min(base, bound))))
  }
}

/// The time that a provider names for the next try.
enum RetryAfter {
  /// The wait in milliseconds: `Retry-After` in seconds or as an HTTP date, or `retry-after-ms`. `now`: unix seconds.
  static func milliseconds(_ headers: [(name: String, value: String)], now: Int64) -> Int64? {
    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name }?.value }
    if let text = header("retry-after-ms"), let value = Double(text), value >= 0, value < 1e12 { return Int64(value) }
    guard let text = header("retry-after") else { return nil }
    if let seconds = Double(text), seconds >= 0, seconds < 1e9 { return Int64(seconds * 1_000) }
    return unixSeconds(httpDate: text).map { max(0, $0 - now) * 1_000 }
  }

  /// `Sun, 06 Nov 1994 08:49:37 GMT`. The two older forms of RFC 9110 are not sent by anybody any more.
  static func unixSeconds(httpDate text: String) -> Int64? {
    let words = text.split(separator: " ")
    guard words.count == 6, words[5] == "GMT", let day = Int64(words[1]), let month = months.firstIndex(of: words[2]),
      let year = Int64(words[3]), (1...31).contains(day), (1970...9999).contains(year)
    else { return nil }
    let time = words[4].split(separator: ":", omittingEmptySubsequences: false).compactMap { Int64($0) }
    guard time.count == 3, (0...23).contains(time[0]), (0...59).contains(time[1]), (0...60).contains(time[2]) else {
      return nil
    }
    return days(year, Int64(month + 1), day) * 86_400 + time[0] * 3_600 + time[1] * 60 + time[2]
  }

  private static let months: [Substring] = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]

  /// Days since 1970-01-01 in the Gregorian calendar. Years begin in March, so that the leap day is the last one.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let year = month <= 2 ? year - 1 : year
    let era = year / 400
    let ofEra = year - era * 400
    let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
    return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
  }
}
