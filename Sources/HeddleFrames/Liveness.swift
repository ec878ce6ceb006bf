// The times of one connection: HELLO, frames, pings, idleness, and a peer that takes nothing. Time is handed in, so
// each rule is tried without waiting for it.

import HeddleCore

/// Decides when a connection has waited long enough. Milliseconds of a clock that never steps back.
struct Liveness {
  /// The state of the connection at a tick.
  struct Situation {
    /// The peer has not said HELLO.
    var isNew = false
    /// Its input waits for the disk.
    var waitsForDisk = false
    /// The socket takes nothing more, so its input is not read.
    var isFull = false
    /// Other connections' half frames hold its input back.
    var isHeldBack = false
  }

  enum Verdict: Equatable {
    case fine
    /// Close without a word.
    case close
    case end(Reason)
    /// Ask whether the peer is there.
    case ping
  }

  private let openedAt: Int64
  /// When the last byte came.
  private(set) var lastByteAt: Int64
  /// When the frame at hand began.
  private var frameBeganAt: Int64?
  /// Since when the server itself does not read the frame on.
  private var heldSince: Int64?
  private var serverPingedAt: Int64 = 0
  private var pongsDue = 0
  private var pingStrikes = 0
  private var pingedAt: Int64?
  private var stalledSince: Int64?
  /// Bytes that the socket had taken at the last look.
  private var acceptedBytes = 0

  init(now: Int64) {
    openedAt = now
    lastByteAt = now
  }

  // MARK: Bytes and frames

  mutating func heard(at now: Int64) { lastByteAt = now }

  /// Part of a frame has come, or none: a frame that begins now has its time from the last byte on.
  mutating func isInsideFrame(_ isInside: Bool) { frameBeganAt = isInside ? frameBeganAt ?? lastByteAt : nil }

  mutating func frameEnded() {
    frameBeganAt = nil
    heldSince = nil
  }

  /// The input is served again after it waited for the disk. Bytes that the peer sent meanwhile were in time, and its
  /// pings come all at once.
  mutating func waitedForDisk(since heldAt: Int64, until now: Int64, _ limits: Limits) {
    lastByteAt = now
    pingStrikes -= Int(clamping: (now - heldAt) / max(1, limits.pingIntervalMilliseconds))
  }

  // MARK: Pings

  /// The peer pings: one in 5 s, three strikes (attacks.md R10). False: that is too many.
  mutating func pinged(at now: Int64, _ limits: Limits) -> Bool {
    if let before = pingedAt, now - before < limits.pingIntervalMilliseconds {
      pingStrikes += 1
    } else {
      pingStrikes = 0
    }
    pingedAt = now
    return pingStrikes <= limits.pingStrikes
  }

  /// Any byte shows that the peer is there. False: no ping asked for this pong (attacks.md S14).
  mutating func ponged() -> Bool {
    guard pongsDue > 0 else { return false }
    pongsDue -= 1
    return true
  }

  // MARK: Ticks

  /// Whether some bytes that were queued had not been taken at the last look.
  func mayBeStalled(queuedBytes: Int) -> Bool { queuedBytes != acceptedBytes || stalledSince != nil }

  /// Frames and HELLO, a few times a second.
  mutating func tick(_ now: Int64, _ situation: Situation, _ limits: Limits) -> Verdict {
    if situation.waitsForDisk { lastByteAt = now }
    if situation.isFull {
      // The socket is not read, so only the peer's taking of our bytes counts (attacks.md R4, R6).
      lastByteAt = now
      if frameBeganAt != nil { frameBeganAt = now }
    } else if situation.isHeldBack, let began = frameBeganAt {
      // It is not the peer that holds its frame up; but no frame is held without an end.
      heldSince = heldSince ?? began
      frameBeganAt = now
      if now - (heldSince ?? now) >= 4 * limits.frameMilliseconds { return .end(.frameTimeout) }
    }
    if let began = frameBeganAt, now - began >= limits.frameMilliseconds { return .end(.frameTimeout) }
    if situation.isNew, now - openedAt >= limits.helloMilliseconds { return .close }
    return .fine
  }

  /// Silence of a connection that is open.
  mutating func tickOpen(_ now: Int64, _ limits: Limits) -> Verdict {
    if now - lastByteAt >= limits.idleMilliseconds { return .end(.idleTimeout) }
    guard now - lastByteAt >= limits.pingAfterMilliseconds, now - serverPingedAt >= limits.pingAfterMilliseconds else {
      return .fine
    }
    serverPingedAt = now
    pongsDue += 1
    return .ping
  }

  /// A peer that takes no byte for 30 s while something waits is cut off; it resumes from its cursor (attacks.md R4).
  /// `waitingBytes` of all `queuedBytes` have not been taken yet. True: that time is over.
  mutating func stalls(_ now: Int64, queuedBytes: Int, waitingBytes: Int, _ limits: Limits) -> Bool {
    let accepted = queuedBytes - waitingBytes
    guard waitingBytes > 0, accepted == acceptedBytes, let since = stalledSince else {
      acceptedBytes = accepted
      stalledSince = waitingBytes > 0 ? now : nil
      return false
    }
    return now - since >= limits.slowConsumerMilliseconds
  }
}
