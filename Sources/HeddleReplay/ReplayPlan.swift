// A recording as a list of things to send, and what each of them waits for. Made once, shared by all copies.
//
// R1  A frame of a client is sent again as it was, except for ids: the frame number of each of its ids is known beforehand,
//     so sending copies bytes and overwrites 16 at a time.
// R2  A frame waits for whatever its client had been told when it was sent: answers, and events by kind and number.
// R3  An id that the server gave in the recording waits for the one that it gives now.
// R4  An answer to a question of the server is for the action that it was shown now: the recorded hash of the action gives
//     way to the new one.
// R5  A recording may begin in the middle of a connection, or leave frames out. Then there is a greeting of the replay's
//     own, and what belongs to streams that it does not see begin is neither sent nor waited for.

import HeddleCapture

public final class ReplayPlan: Sendable {
  let steps: [ReplayStep]
  /// Steps that are sent in order, one lane beside the other.
  let lanes: [[Int]]
  let slots: [IDSlot]
  let cursorCount: Int
  let connections: [CapturedConnection]
  let paths: [CapturePath]
  /// Ids to learn from a frame of the server.
  let lessons: [ReplayMoment: [IDLesson]]
  let cursorLessons: [ReplayMoment: Int]
  public let requestCount: Int
  /// Nanoseconds from the first frame to the last.
  public let length: Int64
  /// The recording holds no text, so that what is compared with it must not either.
  public let isScrubbed: Bool

  public init(
    _ capture: Capture, order: ReplayOrder = .recorded, token: String? = nil, longestIdle: Int64? = nil
  ) throws(CaptureError) {
    var builder = PlanBuilder(capture, order: order, token: token, longestIdle: longestIdle)
    builder.build()
    guard builder.steps.contains(where: \.isRequest) else {
      throw CaptureError("the recording holds no request")
    }
    steps = builder.steps
    lanes = builder.lanes
    slots = builder.lessons.slots
    cursorCount = builder.lessons.cursorCount
    connections = capture.connections
    paths = capture.connections.map(\.path)
    lessons = builder.lessons.ids
    cursorLessons = builder.lessons.cursors
    requestCount = builder.steps.count { $0.isRequest }
    length = builder.steps.last?.at ?? 0
    isScrubbed = builder.isScrubbed
  }
}
