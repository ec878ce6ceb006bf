// A recording becomes a plan (ReplayPlan.R1 to ReplayPlan.R5): one walk over its frames in the order of time.

import HeddleCapture
import HeddleCore
import HeddleProtocol

struct PlanBuilder {
  private let capture: Capture
  private let order: ReplayOrder
  private let token: String?
  private let longestIdle: Int64?

  var steps: [ReplayStep] = []
  var lanes: [[Int]] = []
  var lessons = ReplayLessons()
  var isScrubbed = true

  private var seen: [Milestone: Int] = [:]
  private var waiting: [[Milestone: Int]]
  private var calls: [[UInt32: Int]]
  /// By connection: which call of the server showed the action of this hash.
  private var actions: [[[UInt8]: Int]]
  /// By connection: streams that the recording saw begin.
  private var opened: [Set<UInt32>]
  private var closed: [Bool]
  private var clock: Int64 = 0
  private var last: Int64
  private var hasClientSpoken = false

  init(_ capture: Capture, order: ReplayOrder, token: String?, longestIdle: Int64?) {
    self.capture = capture
    self.order = order
    self.token = token
    self.longestIdle = longestIdle
    let count = capture.connections.count
    lanes = Array(repeating: [], count: order == .recorded ? 1 : count)
    waiting = Array(repeating: [:], count: lanes.count)
    calls = Array(repeating: [:], count: count)
    actions = Array(repeating: [:], count: count)
    opened = Array(repeating: [], count: count)
    closed = Array(repeating: false, count: count)
    last = capture.frames.first?.at ?? 0
  }

  mutating func build() {
    let scrubber = Scrubber()
    var begun: Set<Int> = []
    for frame in capture.frames where begun.insert(frame.connection).inserted {
      if !frame.fromClient || frame.header?.knownKind != .hello { greet(frame.connection) }
    }
    for frame in capture.frames {
      let gap = max(0, frame.at - last)
      clock += longestIdle.map { min(gap, $0) } ?? gap
      last = max(last, frame.at)
      if isScrubbed, let header = frame.header {
        var body = frame.body
        scrubber.scrub(&body, header: header, fromClient: frame.fromClient)
        if body != frame.body { isScrubbed = false }
      }
      if frame.fromClient { client(frame) } else { server(frame) }
    }
    // A recording that ends in the middle: what its clients had been told is awaited, then they leave.
    for index in capture.connections.indices where !closed[index] { close(index) }
  }

  private func lane(_ connection: Int) -> Int { order == .recorded ? 0 : connection }

  private mutating func add(_ step: ReplayStep) {
    var step = step
    let lane = lane(step.connection)
    // Where only ids count, a request waits for the greeting and the rest is left to the end of the connection.
    let onlyGreeting = order == .ids && step.isFrame
    for (milestone, count) in waiting[lane] where !onlyGreeting || milestone.kind == Milestone.hello {
      step.needs.append((milestone, count))
      waiting[lane][milestone] = nil
    }
    lanes[lane].append(steps.count)
    steps.append(step)
  }

  private mutating func close(_ connection: Int) {
    guard !closed[connection] else { return }
    closed[connection] = true
    add(ReplayStep(action: .close, at: clock, connection: connection))
  }

  private mutating func client(_ frame: CapturedFrame) {
    guard let header = frame.header else {
      if case .loss? = steps.last?.action { return lost(frame.connection) }
      return close(frame.connection)
    }
    hasClientSpoken = true
    // Answers to pings are made when they are asked for; pings of one's own would be refused at a higher speed.
    guard !closed[frame.connection], header.knownKind != .pong, header.knownKind != .ping else { return }
    guard begin(frame.connection, header) else { return }
    var step = ReplayStep(action: .frame, at: clock, connection: frame.connection, header: header)
    var body = frame.body
    if header.knownKind == .hello { body = greeting(body) }
    step.header.length = UInt32(clamping: body.count)
    step.isRequest = header.knownKind == .request
    if header.stream != 0, header.stream % 2 == 0 {
      // An answer to a call of the server that the recording does not hold has nobody to go to.
      guard let call = calls[frame.connection][header.stream] else { return }
      step.answersCall = call
      if let (offset, hash) = Self.action(header, body, RequestUserInputResponse.schemaIndex),
        let shown = actions[frame.connection][hash]
      {
        step.shown = (FrameHeader.byteCount + offset, shown)
      }
    }
    body.withUnsafeBytes { raw in
      for found in IDScan.all(header, raw, fromClient: true) {
        let slot = lessons.slot(of: found)
        let offset = FrameHeader.byteCount + found.offset
        if found.kind == IDScan.epochKind {
          step.splices.append(.init(field: offset..<offset + found.count, slot: slot, isCursor: false))
        } else {
          step.patches.append(.init(offset: offset, slot: slot))
        }
        if case .server = lessons.slots[slot] { step.slots.append(slot) }
      }
    }
    cursor(&step, body)
    step.splices.sort { $0.field.lowerBound > $1.field.lowerBound }
    step.header.append(to: &step.bytes)
    step.bytes += body
    add(step)
  }

  /// Whether a frame of a client can be sent again: its stream has been seen to begin.
  private mutating func begin(_ connection: Int, _ header: FrameHeader) -> Bool {
    if header.knownKind == .request { opened[connection].insert(header.stream) }
    return header.stream % 2 == 0 || opened[connection].contains(header.stream)
  }

  /// Greets for a recording that does not: before anything else, as the connection was there from the beginning.
  private mutating func greet(_ connection: Int) {
    var codec = Codec()
    let hello = ClientHello(versions: [1], clientName: "heddle replay", clientVersion: "1", token: token ?? "")
    let body = codec.encode(hello)
    var step = ReplayStep(action: .frame, at: clock, connection: connection)
    step.header = FrameHeader(.hello, length: UInt32(clamping: body.count))
    step.header.append(to: &step.bytes)
    step.bytes += body
    add(step)
    waiting[lane(connection)][Milestone(connection: connection, stream: 0, kind: Milestone.hello)] = 1
  }

  /// The hash of the action that a question, or the answer to one, is about, and its place behind the header.
  private static func action(_ header: FrameHeader, _ body: [UInt8], _ schema: UInt16) -> (Int, [UInt8])? {
    let cut = min(Int(header.metadataLength), body.count)
    return body.withUnsafeBytes { raw in
      let message = UnsafeRawBufferPointer(rebasing: raw[cut...])
      return IDScan.actionHash(message, schema: schema).map { (cut + $0.lowerBound, Array(message[$0])) }
    }
  }

  private mutating func cursor(_ step: inout ReplayStep, _ body: [UInt8]) {
    guard step.isRequest, let schema = FrameMessages.schema(step.header, fromClient: true) else { return }
    let cut = Int(step.header.metadataLength)
    let found = body.withUnsafeBytes { raw in
      IDScan.cursor(UnsafeRawBufferPointer(rebasing: raw[min(cut, raw.count)...]), schema: schema)
    }
    guard let found, let slot = lessons.slot(ofCursor: found.text) else { return }
    let base = FrameHeader.byteCount + cut
    step.splices.append(
      .init(field: base + found.field.lowerBound..<base + found.field.upperBound, slot: slot, isCursor: true))
    step.cursors.append(slot)
  }

  private mutating func greeting(_ body: [UInt8]) -> [UInt8] {
    var codec = Codec()
    do throws(DecodeError) {
      var hello = try codec.decode(ClientHello.self, body)
      hello.token = token ?? ""
      return codec.encode(hello)
    } catch { return body }
  }

  private mutating func lost(_ connection: Int) {
    guard !closed[connection] else { return }
    closed[connection] = true
    forget(connection)
    // Clients that left in the same moment may have noticed sooner than the recording did.
    for step in steps.reversed().prefix(while: { if case .close = $0.action { true } else { false } }) {
      forget(step.connection)
    }
    // Connections that one server ends at once are one loss.
    if let last = steps.indices.last, case .loss(let others) = steps[last].action, order == .recorded {
      steps[last].action = .loss(others + [connection])
    } else {
      add(ReplayStep(action: .loss([connection]), at: clock, connection: connection))
    }
  }

  /// Requests that never got an answer.
  private mutating func forget(_ connection: Int) {
    for index in steps.indices where steps[index].connection == connection && steps[index].isRequest {
      let answer = Milestone(connection: connection, stream: steps[index].header.stream, kind: Milestone.answer)
      guard seen[answer] == nil else { continue }
      steps[index].action = .skip
      steps[index].isRequest = false
    }
  }

  private mutating func server(_ frame: CapturedFrame) {
    guard let header = frame.header else { return lost(frame.connection) }
    guard header.stream % 2 == 0 || opened[frame.connection].contains(header.stream) else { return }
    // A notice before any client has said something was caused by what the recording does not hold.
    guard header.stream != 0 || hasClientSpoken else { return }
    let cut = min(Int(header.metadataLength), frame.body.count)
    let milestone = frame.body.withUnsafeBytes { raw in
      Milestone(frame.connection, header, UnsafeRawBufferPointer(rebasing: raw[cut...]))
    }
    guard let milestone else { return }
    seen[milestone, default: 0] += 1
    let count = seen[milestone] ?? 1
    if header.knownKind == .request {
      calls[frame.connection][header.stream] = count - 1
      if FrameMessages.method(header) == .clientRequestUserInput,
        let (_, hash) = Self.action(header, frame.body, RequestUserInputRequest.schemaIndex)
      {
        actions[frame.connection][hash] = actions[frame.connection][hash] ?? count - 1
      }
    }
    // One piece of streamed text is enough; how many there were depends on time.
    let lane = lane(frame.connection)
    waiting[lane][milestone] = milestone.kind == EventPeek.delta ? 1 : count
    if header.knownKind == .event, milestone.kind != EventPeek.delta {
      // An event after streamed text says more than the text; a quick server may stream none.
      waiting[lane][Milestone(connection: frame.connection, stream: header.stream, kind: EventPeek.delta)] = nil
    }
    let moment = ReplayMoment(milestone: milestone, count: count)
    if milestone.kind != EventPeek.delta {
      for found in IDScan.all(frame) { lessons.gave(found, at: moment, isNotice: header.stream == 0) }
    }
    if header.knownKind == .response, let schema = FrameMessages.schema(header, fromClient: false),
      let cursor = frame.body.withUnsafeBytes({
        IDScan.cursor(UnsafeRawBufferPointer(rebasing: $0[cut...]), schema: schema)
      })
    {
      lessons.gave(cursor: cursor.text, at: moment)
    }
  }
}
