// The requests and turns of one connection of a load, without a socket.

import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleReplay

@Suite struct LoadRequestsTests {
  private func frame(_ method: HeddleCore.Method) -> [UInt8] {
    var out = [UInt8]()
    FrameHeader(.request, method: UInt16(clamping: method.rawValue)).append(to: &out)
    return out
  }

  @Test func anAnswerFindsItsRequestOnce() {
    var requests = LoadRequests()
    var first = frame(.threadList)
    var second = frame(.turnStart)
    // The method is read from the frame if it is not named.
    let methods = [requests.begin(&first, nil, intended: 5), requests.begin(&second, .turnStart, intended: 7)]
    #expect(methods == [HeddleCore.Method.threadList, .turnStart].map { UInt16($0.rawValue) })
    #expect(Array(first[4..<8]) == [0, 0, 0, 1] && Array(second[4..<8]) == [0, 0, 0, 3])
    #expect(requests.count == 2 && requests.nextStream == 5)
    let answered = requests.end(3)
    #expect(answered?.method == methods[1] && answered?.intended == 7)
    // Answered before, even, and never asked.
    for stream: UInt32 in [3, 2, 9] {
      let none = requests.end(stream)
      #expect(none?.intended == nil, "stream \(stream)")
    }
    #expect(requests.count == 1)
  }

  @Test func theRingComesAroundAndANewConnectionBeginsAtStreamOne() {
    var requests = LoadRequests()
    for number in 1...3_000 {
      var frame = frame(.serverStatus)
      let stream = requests.nextStream
      _ = requests.begin(&frame, nil, intended: Int64(number))
      let answered = requests.end(stream)
      #expect(answered?.intended == Int64(number))
    }
    #expect(requests.count == 0 && requests.nextStream == 6_001)
    requests.reconnect()
    #expect(requests.nextStream == 1)
  }

  @Test func aThreadRunsOneTurnAtATimeAndIsFreeAgainWhenItIsRefused() {
    var turns = LoadTurns()
    var started = [turns.start(on: 1, at: 1)]
    turns.add(1, [1], opened: 0)
    turns.add(3, [3], opened: 0)
    for stream: UInt32 in [5, 7, 9] { started.append(turns.start(on: stream, at: 1)) }
    #expect(turns.count == 2 && started == [nil, [3], [1], nil])
    turns.refused(5)
    // Told twice, it is free once.
    turns.refused(5)
    started = [turns.start(on: 9, at: 2), turns.start(on: 11, at: 2)]
    #expect(started == [[3], nil])
  }
}
