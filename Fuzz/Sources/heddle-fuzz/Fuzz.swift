// libFuzzer's side of the targets. HEDDLE_FUZZ_TARGET says which one: one program is linked once, and its counters of
// code that a target never reaches cost nothing that can be measured.

import Glibc
import HeddleFuzzing

private let target: FuzzTarget = {
  let name = getenv("HEDDLE_FUZZ_TARGET").map { String(cString: $0) } ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    print("HEDDLE_FUZZ_TARGET is `\(name)`; it may be \(FuzzTarget.allCases.map(\.rawValue).joined(separator: ", "))")
    exit(64)
  }
  return target
}()

@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  do throws(Finding) { try target.run(UnsafeRawBufferPointer(start: data, count: count)) } catch {
    print("finding: \(error.text)")
    fflush(nil)
    abort()
  }
  return 0
}

@_silgen_name("LLVMFuzzerMutate")
private func mutate(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int) -> Int

@_cdecl("LLVMFuzzerCustomMutator")
public func customMutator(_ data: UnsafeMutablePointer<UInt8>, _ count: Int, _ maximum: Int, _ seed: CUnsignedInt)
  -> Int
{
  let input = Array(UnsafeBufferPointer(start: data, count: count))
  let made = target.mutated(input, maximumBytes: maximum, seed: UInt64(seed)) { piece, maximum in
    [UInt8](unsafeUninitializedCapacity: max(maximum, piece.count, 1)) { room, filled in
      guard let base = room.baseAddress else { return }
      for (index, byte) in piece.enumerated() { base[index] = byte }
      filled = mutate(base, piece.count, room.count)
    }
  }
  guard let made, !made.isEmpty, made.count <= maximum else { return mutate(data, count, maximum) }
  for (index, byte) in made.enumerated() { data[index] = byte }
  return made.count
}
