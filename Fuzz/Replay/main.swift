// fuzz-replay TARGET FILE…: runs inputs without libFuzzer, for coverage and for a debugger.

import Glibc
import HeddleFuzzing

var arguments = CommandLine.arguments.dropFirst()
guard let target = arguments.popFirst().flatMap(FuzzTarget.init) else {
  print("usage: fuzz-replay \(FuzzTarget.allCases.map(\.rawValue).joined(separator: "|")) FILE…")
  exit(64)
}
var findings = 0
for path in arguments {
  guard let file = fopen(path, "r") else {
    print("cannot read \(path)")
    exit(66)
  }
  var bytes = [UInt8](repeating: 0, count: 1 << 22)
  bytes.removeLast(bytes.count - fread(&bytes, 1, bytes.count, file))
  fclose(file)
  do throws(Finding) { try target.run(bytes) } catch {
    findings += 1
    print("\(path): \(error.text)")
  }
}
print("replay: target=\(target.rawValue) inputs=\(arguments.count) findings=\(findings)")
exit(findings == 0 ? 0 : 1)
