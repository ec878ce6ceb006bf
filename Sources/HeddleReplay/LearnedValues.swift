// The ids and cursors of one copy: those that the server gives now, in the place of the recorded ones (ReplayPlan.R1, ReplayPlan.R3).

import HeddleCapture
import HeddleCore
import HeddleProtocol

struct LearnedValues {
  private let plan: ReplayPlan
  private var ids: [WireID?]
  private var cursors: [[UInt8]?]

  init(_ plan: ReplayPlan) {
    self.plan = plan
    var random = SystemRandomNumberGenerator()
    ids = plan.slots.map { slot in
      switch slot {
      case .client(let id): id
      case .key: WireID(high: random.next(), low: random.next())
      case .server: nil
      }
    }
    cursors = Array(repeating: nil, count: plan.cursorCount)
  }

  /// Whether the server has given everything that a step names.
  func areKnown(to step: ReplayStep) -> Bool {
    step.slots.allSatisfy { ids[$0] != nil } && step.cursors.allSatisfy { cursors[$0] != nil }
  }

  /// Writes the values into the frame of a step; the recorded ones stay where there are no others.
  func write(into bytes: inout [UInt8], of step: ReplayStep) {
    for patch in step.patches { Self.write(ids[patch.slot] ?? recorded(patch.slot), &bytes, patch.offset) }
    if !step.splices.isEmpty { splice(step.splices, &bytes) }
  }

  private func recorded(_ slot: Int) -> WireID {
    if case .server(let id) = plan.slots[slot] { id } else { WireID() }
  }

  private static func write(_ id: WireID, _ bytes: inout [UInt8], _ offset: Int) {
    bytes.withUnsafeMutableBytes { raw in
      guard offset + 16 <= raw.count else { return }
      raw.storeBytes(of: id.high.bigEndian, toByteOffset: offset, as: UInt64.self)
      raw.storeBytes(of: id.low.bigEndian, toByteOffset: offset + 8, as: UInt64.self)
    }
  }

  /// Cursors and epochs differ in length, so the frame's own length changes with them.
  private func splice(_ splices: [ReplayStep.Splice], _ bytes: inout [UInt8]) {
    for splice in splices {
      var value = [UInt8]()
      if !splice.isCursor {
        value.appendVarint((ids[splice.slot] ?? recorded(splice.slot)).low)
      } else if let text = cursors[splice.slot] {
        value.appendVarint(UInt64(text.count))
        value += text
      } else {
        continue
      }
      bytes.replaceSubrange(splice.field, with: value)
    }
    let length = UInt32(clamping: bytes.count - FrameHeader.byteCount)
    for shift in 0..<4 { bytes[12 + shift] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * shift)) }
  }

  /// Takes the values out of a frame of the server.
  mutating func learn(
    _ moment: ReplayMoment, _ header: FrameHeader, _ body: UnsafeRawBufferPointer,
    _ message: UnsafeRawBufferPointer
  ) {
    if let lessons = plan.lessons[moment] {
      for found in IDScan.all(header, body, fromClient: false) {
        for lesson in lessons where lesson.place == found.place { ids[lesson.slot] = found.id }
      }
    }
    guard header.knownKind == .response, let slot = plan.cursorLessons[moment],
      let schema = FrameMessages.schema(header, fromClient: false),
      let cursor = IDScan.cursor(message, schema: schema)
    else { return }
    cursors[slot] = cursor.text
  }
}
