// The time of a provider: handed in, so that tests set it by hand.

import Glibc

/// How a provider measures time and waits for it.
struct ProviderClock: Sendable {
  /// Milliseconds of a clock that never steps.
  var now: @Sendable () -> Int64
  /// Returns after so many milliseconds; throws at once when the task is cancelled.
  var sleep: @Sendable (Int64) async throws -> Void

  static let system = ProviderClock(
    now: {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }, sleep: { try await Task.sleep(for: .milliseconds($0)) })
}
