import HeddleCore
import HeddleProtocol
import HeddleStorage
import Testing

@testable import HeddleRuntime

@Suite struct RecordsTests {
  @Test("configuration.md, threadEventBytes: what a thread's events take is known again when it is loaded")
  func eventBytes() throws {
    var codec = Codec()
    let tail = (1...3).map { number in
      let event = Event(sequence: UInt64(number), at: 5, kind: .nameChanged(NameChanged(name: "name \(number)")))
      return StoredEvent(sequence: event.sequence, kind: 4, ordinal: 0, at: event.at, payload: codec.encode(event))
    }
    let id = ThreadID(high: 0, low: 1)
    let row = ThreadRecord(id: id).row(identity: ThreadIdentity(tenant: "t", epoch: 1, ephemeral: false))
    let snapshot = codec.encode(ThreadRecord(id: id, eventBytes: 1_000))
    let record = try LoadedThread(row: row, snapshot: snapshot, tail: tail).record(&codec)
    #expect(record.name == "name 3" && record.sequence == 3)
    #expect(record.eventBytes == 1_000 + tail.reduce(0) { $0 + UInt64($1.payload.count) })
  }
}
