// Memory that was given back to the allocator and not by it: glibc keeps pages in the middle of its heaps for ever. After
// ten thousand connections have gone that is all that they took (attacks.md R1, R17).

import CMalloc
import ServiceLifecycle

struct MemoryReturn: Service, CustomStringConvertible {
  var description: String { "memory" }

  /// Less is not worth the walk; it is used again soon.
  private static let worthwhileBytes = 16 * 1024 * 1024

  func run() async throws {
    await cancelWhenGracefulShutdown {
      // What is free and was so when the pages were last given back: holes that hold no whole page.
      var known = 0
      while (try? await Task.sleep(for: .seconds(4))) != nil {
        let free = Int(clamping: heddle_free_bytes())
        if free > known + Self.worthwhileBytes {
          malloc_trim(0)
          known = free
        } else {
          known = min(known, free)
        }
      }
    }
  }
}
