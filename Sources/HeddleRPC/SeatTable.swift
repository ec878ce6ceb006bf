// The seats of one connection, found by token: a call shows its token, and the seat of that token's principal serves it.

import HeddleCore
import HeddleMetrics
import HeddleRuntime
import HeddleService
import HeddleTokens
import NIOCore

/// Confined to its connection.
package struct SeatTable {
  package enum Finding {
    case seat(Seat)
    /// The answer goes out after this time.
    case refused(Refusal, afterMilliseconds: Int64)
  }

  /// The token of the last call: most calls of a connection show the same one, which need not be looked up again.
  private struct Last {
    let token: [UInt8]
    let identity: PeerIdentity
    let generation: UInt64
    let expiresAt: Int64?
    let seat: Seat
  }

  /// As many as a connection may have.
  private static let most = 256
  /// A seat is kept for the next call of its principal for so long.
  private static let idleMilliseconds: Int64 = 60_000

  private let core: ServerCore
  private let loop: LoopState
  private let metrics: DoorMetrics
  private let address: String
  private var seats: [Principal: Seat] = [:]
  /// Principals that are not served until that time.
  private var punished: [Principal: Int64] = [:]
  private var last: Last?
  /// Seats that have ended while their callers were at work: closed a moment later.
  private var leaving: [Seat] = []

  package init(core: ServerCore, loop: LoopState, metrics: DoorMetrics, address: String) {
    self.core = core
    self.loop = loop
    self.metrics = metrics
    self.address = address
  }

  package var all: [Seat] { Array(seats.values) }
  package var isEmpty: Bool { seats.isEmpty }
  package var isAlone: Bool { seats.count < 2 }

  /// The seat of the call's principal.
  package mutating func seat(_ token: [UInt8], _ identity: PeerIdentity, host: any SeatHost) -> Finding {
    let now = core.manager.clock.now()
    if let last, last.token == token, last.identity == identity,
      last.generation == core.authentication?.generation ?? 0, last.expiresAt.map({ now < $0 }) ?? true
    {
      return .seat(last.seat)
    }
    switch core.authenticate(String(decoding: token, as: UTF8.self), identity, from: address) {
    case .refused(let refusal, let wait): return .refused(refusal, afterMilliseconds: wait)
    case .accepted(let credential, let generation):
      if let end = credential.expiresAt, now >= end { return .refused(Refusal(.tokenExpired), afterMilliseconds: 0) }
      let found = seat(credential, generation, host: host)
      if case .seat(let seat) = found {
        last = Last(
          token: token, identity: identity, generation: generation, expiresAt: credential.expiresAt, seat: seat)
      }
      return found
    }
  }

  private mutating func seat(_ credential: Credential, _ generation: UInt64, host: any SeatHost) -> Finding {
    let principal = credential.principal
    if let seat = seats[principal] {
      seat.caller.renew(credential, generation: generation)
      return .seat(seat)
    }
    if let until = punished[principal] {
      let now = core.manager.clock.instant()
      guard now >= until else {
        return .refused(Refusal(.enhanceYourCalm, retryAfterMilliseconds: until - now), afterMilliseconds: 0)
      }
      punished[principal] = nil
    }
    guard seats.count < Self.most else { return .refused(Refusal(.tooManyConnections), afterMilliseconds: 0) }
    let caller = Caller(core: core, loop: loop, metrics: metrics, address: address, rules: .calls)
    guard core.quotas.opened(address: address) else {
      core.quotas.closed(address: address, tenant: nil)
      return .refused(Refusal(.tooManyConnections), afterMilliseconds: 0)
    }
    let seat = Seat(caller, host: host)
    if let refusal = caller.open(credential, generation: generation, unwantedNotices: [], abilities: []) {
      seat.close()
      return .refused(refusal, afterMilliseconds: 0)
    }
    seats[principal] = seat
    return .seat(seat)
  }

  /// Gives up seats without a call for a minute, and those that have ended. Called a few times a second, after each seat's
  /// own tick.
  package mutating func tidy(_ now: Int64) {
    for seat in leaving { seat.close() }
    leaving = []
    for (principal, seat) in seats {
      guard let since = seat.idleSince, now - since >= Self.idleMilliseconds else { continue }
      forget(principal, seat)
      seat.close()
    }
    if punished.count > Self.most { punished = punished.filter { $0.value > now } }
  }

  /// The seat has ended by itself; its principal is not served on this connection for a while if it was for its conduct.
  package mutating func ended(_ seat: Seat, _ refusal: Refusal) {
    guard let principal = seats.first(where: { $0.value === seat })?.key else { return }
    if refusal.reason == .enhanceYourCalm {
      punished[principal] = core.manager.clock.instant() + core.limits.glitchWindowMilliseconds
    }
    forget(principal, seat)
    leaving.append(seat)
  }

  private mutating func forget(_ principal: Principal, _ seat: Seat) {
    seats[principal] = nil
    if last?.seat === seat { last = nil }
  }

  package mutating func closeAll() {
    for seat in Array(seats.values) + leaving { seat.close() }
    seats = [:]
    leaving = []
    last = nil
  }
}
