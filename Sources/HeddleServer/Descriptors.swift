// Descriptors: the process takes as many as it may, and connections leave some for the store (durability.md D12). At the
// limit the listener itself waits a moment before it accepts again; open connections do not notice.

import Foundation
import HeddleCore

enum Descriptors {
  /// Raises the soft limit to the hard one and says how many connections fit.
  static func connections(_ limits: Limits) -> Int {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return limits.connections }
    if limit.rlim_cur < limit.rlim_max {
      limit.rlim_cur = limit.rlim_max
      _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
      _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    let available = Int(clamping: limit.rlim_cur) - limits.reservedDescriptors
    return max(1, min(limits.connections, available))
  }
}
