// The plan of a replay: the frames that each frame waits for, and the sources of its ids.

import HeddleCapture
import HeddleCore
import HeddleProtocol
import Testing

@testable import HeddleReplay

/// A recording, frame by frame.
private struct Recording {
  var capture = Capture()
  private var time: Int64 = 0

  init(connections: Int = 1) {
    for index in 0..<connections {
      capture.connections.append(
        CapturedConnection(
          client: Endpoint(address: [127, 0, 0, 1], port: UInt16(50_000 + index)),
          server: Endpoint(address: [127, 0, 0, 1], port: 7420)))
    }
  }

  mutating func frame(
    _ kind: FrameKind, _ method: HeddleCore.Method = .unspecified, _ stream: UInt32, _ message: some WireMessage,
    connection: Int = 0, fromClient: Bool
  ) {
    var codec = Codec()
    let body = codec.encode(message)
    time += 1_000_000
    let header = FrameHeader(
      kind, method: UInt16(clamping: method.rawValue), stream: stream, length: UInt32(body.count))
    capture.frames.append(
      CapturedFrame(at: time, connection: connection, fromClient: fromClient, header: header, body: body))
  }

  mutating func end(connection: Int = 0, fromClient: Bool) {
    time += 1_000_000
    capture.frames.append(
      CapturedFrame(at: time, connection: connection, fromClient: fromClient, header: nil, body: []))
  }
}

@Suite struct ReplayPlanTests {
  private let thread = ThreadID(high: 0x1111, low: 0x2222)

  private func started(_ recording: inout Recording) {
    recording.frame(.request, .threadStart, 1, StartThreadRequest(), fromClient: true)
    // The notice comes first, and on the stream of everybody's notices.
    let notice = SubscriptionEvent(kind: .threadStarted(ThreadStartedNotice(thread: thread)))
    recording.frame(.event, .unspecified, 0, notice, fromClient: false)
    recording.frame(
      .response, .threadStart, 1, StartThreadResponse(sequence: 1, thread: AgentThread(id: thread, epoch: 77)),
      fromClient: false)
  }

  @Test func anIDIsLearnedFromTheAnswerAndNotFromANoticeThatMayBeAnybodys() throws {
    var recording = Recording()
    started(&recording)
    recording.frame(.request, .threadRead, 3, ReadThreadRequest(thread: thread), fromClient: true)
    let plan = try ReplayPlan(recording.capture)
    let (moment, lessons) = try #require(plan.lessons.first)
    #expect(plan.lessons.count == 1 && lessons.count == 1)
    #expect(moment.milestone == Milestone(connection: 0, stream: 1, kind: Milestone.answer))
    let read = try #require(plan.steps.first { $0.header.stream == 3 })
    #expect(read.slots == [0] && read.patches.count == 1)
    let wanted = read.bytes[read.patches[0].offset..<read.patches[0].offset + 16]
    #expect(Array(wanted) == thread.bytes)
    #expect(read.needs.contains { $0.0.stream == 1 && $0.0.kind == Milestone.answer && $0.1 == 1 })
  }

  @Test func anIDThatTheClientKnewStaysAndAnEpochIsLearned() throws {
    var recording = Recording()
    let known = ThreadID(high: 9, low: 9)
    recording.frame(.request, .threadRead, 1, ReadThreadRequest(thread: known), fromClient: true)
    started(&recording)
    recording.frame(
      .request, .threadSubscribe, 5, SubscribeRequest(thread: thread, epoch: 77, after: 0), fromClient: true)
    let plan = try ReplayPlan(recording.capture)
    let first = try #require(plan.steps.first { $0.isRequest })
    #expect(first.slots.isEmpty)
    if case .client(let id) = plan.slots[first.patches[0].slot] {
      #expect(id.bytes == known.bytes)
    } else {
      Issue.record("an id that was known beforehand is learned")
    }
    let subscribe = try #require(plan.steps.first { $0.header.stream == 5 })
    #expect(subscribe.splices.count == 1 && subscribe.slots.count == 2)
  }

  @Test func connectionsWaitForEachOtherOnlyWhenTheOrderSaysSo() throws {
    var recording = Recording(connections: 2)
    started(&recording)
    recording.frame(.request, .threadRead, 1, ReadThreadRequest(thread: thread), connection: 1, fromClient: true)
    recording.frame(.request, .serverStatus, 3, ServerStatusRequest(), connection: 1, fromClient: true)
    let strict = try ReplayPlan(recording.capture, order: .recorded)
    #expect(strict.lanes.count == 1)
    #expect(strict.steps.contains { step in step.connection == 1 && step.needs.contains { $0.0.connection == 0 } })
    let loose = try ReplayPlan(recording.capture, order: .connection)
    #expect(loose.lanes.count == 2)
    let read = try #require(loose.steps.first { $0.connection == 1 && $0.isRequest })
    #expect(read.slots.count == 1)
    for step in loose.steps { #expect(step.needs.allSatisfy { $0.0.connection == step.connection }) }
  }

  @Test func aLossLeavesOutWhatHadNoAnswer() throws {
    var recording = Recording(connections: 3)
    started(&recording)
    recording.frame(.request, .threadRead, 3, ReadThreadRequest(thread: thread), fromClient: true)
    recording.frame(.request, .serverStatus, 1, ServerStatusRequest(), connection: 1, fromClient: true)
    // The second client notices before the recording does.
    recording.end(connection: 1, fromClient: true)
    recording.end(connection: 0, fromClient: false)
    recording.end(connection: 0, fromClient: true)
    recording.frame(.request, .serverStatus, 1, ServerStatusRequest(), connection: 2, fromClient: true)
    let plan = try ReplayPlan(recording.capture)
    #expect(plan.requestCount == 2)
    let losses = plan.steps.filter { if case .loss = $0.action { true } else { false } }
    #expect(losses.count == 1)
  }

  @Test func aRecordingThatBeginsInTheMiddleIsGreetedAndLeavesOutWhatItDidNotSeeBegin() throws {
    var recording = Recording()
    let live = SubscriptionEvent(kind: .live(Live(sequence: 4)))
    recording.frame(.event, .threadSubscribe, 1, live, fromClient: false)
    recording.frame(.credit, .unspecified, 1, Credit(bytes: 5), fromClient: true)
    recording.frame(.response, .threadRead, 3, ReadThreadResponse(), fromClient: false)
    recording.frame(.request, .serverStatus, 5, ServerStatusRequest(), fromClient: true)
    recording.frame(.response, .serverStatus, 5, ServerStatusResponse(), fromClient: false)
    let plan = try ReplayPlan(recording.capture)
    #expect(plan.steps.map(\.header.knownKind) == [.hello, .request, nil])
    #expect(plan.steps[1].needs.map(\.0) == [Milestone(connection: 0, stream: 0, kind: Milestone.hello)])
    #expect(plan.steps[2].needs.map(\.0.stream) == [5])
    var other = Recording()
    other.frame(.request, .serverStatus, 5, ServerStatusRequest(), fromClient: true)
    other.frame(.response, .serverStatus, 5, ServerStatusResponse(), fromClient: false)
    #expect(CaptureDiff.compare(recording.capture, other.capture).differences.isEmpty)
  }

  @Test func anAnswerIsForTheActionThatTheServerShowsNow() throws {
    var recording = Recording()
    let hashes = (1...2).map { [UInt8](repeating: $0, count: 32) }
    for (call, hash) in hashes.enumerated() {
      let question = RequestUserInputRequest(thread: thread, question: "?", actionHash: hash)
      recording.frame(.request, .clientRequestUserInput, UInt32(2 + 2 * call), question, fromClient: false)
    }
    // The second question is answered, once for the wrong action and once for one that nobody showed.
    for hash in [hashes[1], hashes[0], [UInt8](repeating: 9, count: 32)] {
      let answer = RequestUserInputResponse(answer: "yes", actionHash: hash)
      recording.frame(.response, .clientRequestUserInput, 4, answer, fromClient: true)
    }
    recording.frame(.request, .serverStatus, 1, ServerStatusRequest(), fromClient: true)
    let answers = try ReplayPlan(recording.capture).steps.filter { $0.answersCall != nil }
    #expect(answers.map(\.answersCall) == [1, 1, 1] && answers.map(\.shown?.call) == [1, 0, nil])
    let place = try #require(answers[0].shown?.offset)
    #expect(Array(answers[0].bytes[place..<place + 32]) == hashes[1])
  }

  @Test func aRecordingWithoutARequestIsRefused() {
    #expect(throws: CaptureError.self) { try ReplayPlan(Recording().capture) }
  }

  @Test func anyBytesGiveAPlanOrARefusal() throws {
    var random = SplitMix(seed: 12)
    var recording = Recording()
    started(&recording)
    recording.frame(.request, .threadRead, 3, ReadThreadRequest(thread: thread), fromClient: true)
    for _ in 0..<2000 {
      var capture = recording.capture
      let place = random.below(capture.frames.count)
      guard !capture.frames[place].body.isEmpty else { continue }
      capture.frames[place].body[random.below(capture.frames[place].body.count)] = UInt8(random.below(256))
      capture.frames[place].header?.stream = UInt32(random.below(6))
      capture.frames[place].header?.metadataLength = UInt16(random.below(40))
      _ = try? ReplayPlan(capture)
      _ = CaptureDiff.compare(recording.capture, capture)
    }
  }
}
