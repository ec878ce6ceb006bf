// The numbers about the process that every Prometheus client library has, from /proc.

import Foundation
import HeddleMetrics

enum ProcessMetrics {
  static func append(to text: inout MetricsText) {
    let ticks = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
    let fields = statistics()
    if fields.count > 21 {
      let processor = (Double(fields[11]) ?? 0) + (Double(fields[12]) ?? 0)
      text.append(
        "process_cpu_seconds_total", .counter, "Processor time that the process has used, in seconds.",
        "\(processor / ticks)")
      let started = bootSeconds() + (Double(fields[19]) ?? 0) / ticks
      text.append(
        "process_start_time_seconds", .gauge, "Time at which the process started, in seconds since 1970.", "\(started)")
      let resident = (Int(fields[21]) ?? 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
      text.append("process_resident_memory_bytes", .gauge, "Memory of the process that is in RAM.", "\(resident)")
      text.append("process_virtual_memory_bytes", .gauge, "Address space of the process.", String(fields[20]))
    }
    text.append("process_open_fds", .gauge, "Descriptors that are open.", "\(openDescriptors())")
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      text.append("process_max_fds", .gauge, "Descriptors that may be open at once.", "\(limit.rlim_cur)")
    }
  }

  /// The fields of /proc/self/stat behind the name, which may hold anything.
  private static func statistics() -> [Substring] {
    let text = read("/proc/self/stat")
    guard let end = text.lastIndex(of: ")") else { return [] }
    return text[text.index(after: end)...].split(separator: " ")
  }

  private static let boot: Double = {
    for line in read("/proc/stat").split(separator: "\n") where line.hasPrefix("btime ") {
      return Double(line.dropFirst(6)) ?? 0
    }
    return 0
  }()

  private static func bootSeconds() -> Double { boot }

  private static func openDescriptors() -> Int {
    guard let folder = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Two are the folder itself and its parent, one is this look at it.
    return max(0, count - 3)
  }

  private static func read(_ path: String) -> String {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
