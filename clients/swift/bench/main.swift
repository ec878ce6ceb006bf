// The Swift client's CPU: Benchmarks/clients/README.md.

import Foundation
import HeddleClient
import HeddleCore

func cpu() -> Double {
  var usage = rusage()
  getrusage(Int32(RUSAGE_SELF.rawValue), &usage)
  func seconds(_ time: timeval) -> Double { Double(time.tv_sec) + Double(time.tv_usec) / 1e6 }
  return seconds(usage.ru_utime) + seconds(usage.ru_stime)
}

func memory() -> Int {
  let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
  let line = status.split(separator: "\n").first { $0.hasPrefix("VmRSS") } ?? ""
  return Int(line.split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first ?? "") ?? 0
}

let words = CommandLine.arguments
guard words.count > 4, let thread = ThreadID(words[3]), let first = Int(words[4]) else {
  print("usage: client-bench calls ADDRESS THREAD DEPTH COUNT | events ADDRESS THREAD COUNT")
  exit(64)
}
let client = try await HeddleClient.connect("heddle://\(words[2])")
var before = memory()
var used = cpu()
var began = ContinuousClock.now

if words[1] == "calls" {
  let (depth, count) = (first, Int(words.last ?? "") ?? 0)
  for (number, isMeasured) in [(count / 10, false), (count, true)] {
    if isMeasured { (before, used, began) = (memory(), cpu(), .now) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<depth {
        group.addTask {
          for _ in 0..<number / depth { _ = try await client.settings.read(ReadSettingsRequest(thread: thread)) }
        }
      }
      try await group.waitForAll()
    }
  }
} else {
  var taken = 0
  for try await message in client.subscribe(thread: thread, after: 0) {
    if case .event? = message.kind { taken += 1 }
    if taken == first / 10 { before = memory() }
    if taken == first { break }
  }
}
let took = ContinuousClock.now - began
print("{\"cpu\":\(cpu() - used),\"seconds\":\(took / .seconds(1)),\"memory\":\(memory() - before)}")
await client.close()
