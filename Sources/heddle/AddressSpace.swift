// How much address space the operator lets the process have (RLIMIT_AS, `ulimit -v`). With too little of it a thread or a
// buffer cannot be made, which ends the process in the middle of its work with a trace instead of a reason.

import CAddressSpace
import Glibc
import HeddleCore

enum AddressSpace {
  /// Why a server with so many event loops cannot be started here; nil if it can.
  static func shortage(loops: Int, limits: Limits = Limits()) -> String? {
    var limit = rlimit()
    assert(limits.addressSpaceBytes > Int(HEDDLE_LEAST_ADDRESS_SPACE))
    guard getrlimit(__rlimit_resource_t(RLIMIT_AS.rawValue), &limit) == 0 else { return nil }
    return shortage(loops: loops, allowed: limit.rlim_cur, limits)
  }

  /// Rounded up to the unit in which a shell sets the limit. `RLIM_INFINITY` is the largest number, so it needs no case.
  private static func shortage(loops: Int, allowed: UInt, _ limits: Limits) -> String? {
    let needed = limits.addressSpaceBytes + max(0, loops) * limits.addressSpaceBytesPerLoop
    guard allowed < UInt(needed) else { return nil }
    let kibibytes = (needed + 1_023) / 1_024
    return "the process may have \(allowed / 1_024) KiB of address space and needs \(kibibytes); "
      + "run: ulimit -v \(kibibytes), or unlimited"
  }
}
