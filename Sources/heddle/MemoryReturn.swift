// Memory that was given back to the allocator and not by it: glibc keeps pages in the middle of its heaps for ever. After
// ten thousand connections have gone that is all that they took (attacks.md R1, R17).

import CMalloc
import Foundation
import ServiceLifecycle

struct MemoryReturn: Service, CustomStringConvertible {
  var description: String { "memory" }

  /// Less is not worth the walk; it is used again soon.
  private static let worthwhileBytes = 16 * 1024 * 1024

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // Idle bytes at the start, or when pages were last given back: the program itself, and holes that hold no whole page.
      var floor = Self.idleBytes() ?? 0
      while (try? await Task.sleep(for: .seconds(4))) != nil {
        guard let idle = Self.idleBytes() else { continue }
        if idle > floor + Self.worthwhileBytes {
          malloc_trim(0)
          floor = Self.idleBytes() ?? idle
        } else {
          floor = min(floor, idle)
        }
      }
    }
  }

  /// Memory that the process occupies and does not use. The allocator's own count of free bytes would not do: it goes on
  /// counting the pages that were given back, so memory that is used and freed again between two looks would not show.
  private static func idleBytes() -> Int? {
    guard let text = try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8) else { return nil }
    let fields = text.split(separator: " ")
    guard fields.count > 1, let pages = Int(fields[1]) else { return nil }
    return pages * sysconf(Int32(_SC_PAGESIZE)) - Int(clamping: heddle_used_bytes())
  }
}
