// durability.md D10: the parts of identifiers.

import HeddleCore
import Testing

@Suite struct IdentifierTests {
  @Test("D10: ids rise when the clock stands still, runs out of numbers within a millisecond, or steps back")
  func rising() {
    var ids = IDGenerator(seed: 1)
    var last = ThreadID()
    var falls = 0
    for now in [1_000, 1_000, 1_001, 9_000, 5_000, 1, -5, 9_001, 20_000] as [Int64] {
      for _ in 0..<5_000 {
        let id: ThreadID = ids.next(at: now)
        if id <= last { falls += 1 }
        last = id
      }
    }
    #expect(falls == 0)
    #expect(Int64(last.high >> 16) >= 20_000)
  }

  @Test("An id is a UUID of version 7 whose time is that of its making")
  func form() {
    var ids = IDGenerator(seed: 2)
    for now in [1_700_000_000_000, 1_700_000_000_123] as [Int64] {
      let id: TurnID = ids.next(at: now)
      #expect(Int64(id.high >> 16) == now && id.high >> 12 & 0xF == 7 && id.low >> 62 == 2)
      #expect(TurnID(id.description) == id && TurnID(bytes: id.bytes) == id)
    }
  }
}
