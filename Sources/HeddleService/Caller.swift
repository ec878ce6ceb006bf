// A caller: an identity, its requests in flight, its subscriptions, and the calls that the server has made to it. One for
// each frame connection; doors that multiplex others' requests make one for each principal of a connection.
//
// CallerRequests.swift takes requests in, CallerAnswers.swift lets answers out, Subscriptions.swift has the feeds,
// ServerCalls.swift the calls of the server.

import HeddleCore
import HeddleMetrics
import HeddleProtocol
import HeddleRuntime
import HeddleStorage
import HeddleTokens
import Logging
import NIOCore

/// The rules of callers that a door's protocol has. Frames are the default.
package struct CallerRules: Sendable {
  /// A thread is followed by one stream at most. Behind a proxy many clients share a caller.
  package var followsOnce = true
  /// The stream of Start, Resume and Fork follows the thread. It cannot where a call has one answer.
  package var followsAnswers = true
  /// There are notices outside all streams.
  package var hasNotices = true
  /// Requests are served while the server drains: the door says itself when no more of them may come.
  package var servesWhileDraining = false

  /// The deadline of Subscribe is that of the whole stream, and not of its opening alone.
  package var deadlinesEndStreams = false

  package init() {}

  /// A call has one answer, or a stream of its own; nothing comes outside calls.
  package static let calls: CallerRules = {
    var rules = CallerRules()
    rules.followsOnce = false
    rules.followsAnswers = false
    rules.hasNotices = false
    rules.servesWhileDraining = true
    rules.deadlinesEndStreams = true
    return rules
  }()
}

/// A request that has been accepted and not been answered.
package struct InFlight {
  let method: Method
  var deadline: Scheduled<Void>?
  /// Nanoseconds of the loop's clock.
  var beganAt = 0
  /// Nil: it belongs to no trace.
  var trace: RequestTrace?
  /// The caller has its terminal answer already; the slot is held until the work ends (attacks.md R8).
  var isAbandoned = false
}

/// One caller. Confined to its loop, which is the proof for `@unchecked Sendable`.
package final class Caller: CallerPort, ObservedCaller, @unchecked Sendable {
  package let core: ServerCore
  package let loop: LoopState
  package let context: LoopContext
  /// The values of its door on its loop.
  let metrics: DoorMetrics
  package let address: String
  let rules: CallerRules
  package let id: ConnectionID
  /// The door's side of it; one that takes nothing more when the connection has ended.
  package private(set) var outlet: any Outlet
  /// Requests are served: the caller has said who it is, and its connection has not ended.
  package private(set) var isOpen = false
  private(set) var identity = Identity()
  var unwantedNotices: [String] = []
  var requests: [UInt32: InFlight] = [:]
  package var subscriptions = SubscriptionTable()
  var calls = ServerCallTable()
  private var conduct: Conduct
  private var pages = PageQueue()
  private var waitingAnswers: [(stream: UInt32, answer: Answer)] = []
  private var isAnswering = false
  /// It counts as one of its tenant's connections.
  private var isCounted = false
  /// The notes of a frame observer about this caller.
  package var observed: AnyObject?

  package init(
    core: ServerCore, loop: LoopState, metrics: DoorMetrics, address: String, rules: CallerRules = CallerRules()
  ) {
    self.rules = rules
    self.core = core
    self.loop = loop
    self.metrics = metrics
    context = loop.context
    self.address = address
    outlet = ClosedOutlet()
    conduct = Conduct(since: core.manager.clock.instant())
    id = loop.ids.next(at: core.manager.clock.now())
  }

  package var principal: Principal? { identity.credential?.principal }
  package var addresses: (client: SocketAddress?, server: SocketAddress?) { outlet.addresses }
  package func stream(following thread: ThreadID) -> UInt32? { subscriptions.stream(following: thread) }
  package var tenant: String { principal?.tenant ?? "" }
  package var inFlight: Int { requests.count }
  /// Nothing is on its way: no request, no subscription, and no call on the client.
  package var isIdle: Bool { requests.isEmpty && subscriptions.all.isEmpty && calls.open.isEmpty }
  package var hasRoom: Bool { outlet.hasRoom }
  var logger: Logger { core.logger }

  // MARK: Beginning and ending

  /// The credential that a caller has shown; a fresh token replaces it.
  struct Identity {
    var credential: Credential?
    /// Of the files with which `credential` was last compared.
    var generation: UInt64 = 0
  }

  /// The credential of another token on the same connection.
  func credential(of token: String) -> Result<Credential, TokenFault> {
    core.credential(of: token, identity.credential?.peer ?? PeerIdentity())
  }

  /// The caller is known and may send requests; a refusal: its tenant has too many connections.
  package func open(
    _ credential: Credential, generation: UInt64, unwantedNotices: [String], abilities: [String]
  ) -> Refusal? {
    self.unwantedNotices = unwantedNotices
    identity = Identity(credential: credential, generation: generation)
    isOpen = true
    core.manager.add(self, hearsOfStarts: rules.hasNotices && !unwantedNotices.contains("thread_started"))
    calls.can = ClientFeatures(abilities)
    isCounted = core.quotas.identified(address: address, tenant: tenant)
    return isCounted ? nil : Refusal(.tooManyConnections)
  }

  /// A fresh token of the same tenant: its expiry and its rights count from now on (attacks.md A10).
  package func renew(_ credential: Credential, generation: UInt64) {
    identity = Identity(credential: credential, generation: generation)
  }

  func renew(_ credential: Credential) { identity.credential = credential }

  /// Why the caller may not stay: its token or its certificate has run out, or has been taken back (attacks.md A10, A11).
  private func credentialEnds() -> Refusal? {
    if identity.credential?.isCurrent(at: core.manager.clock.now()) == false { return Refusal(.tokenExpired) }
    guard let authentication = core.authentication else { return nil }
    let newest = authentication.generation
    guard newest != identity.generation, let credential = identity.credential else { return nil }
    identity.generation = newest
    if authentication.holds(credential) { return nil }
    return Refusal(credential.digest.isEmpty ? .unknownIdentity : .invalidToken)
  }

  /// The goodbye has gone out: nothing more is served, and nothing waits to be sent.
  package func stopServing() {
    isOpen = false
    pages.waiting = []
    waitingAnswers = []
  }

  /// The connection has ended.
  package func closed() {
    stopServing()
    core.quotas.closed(address: address, tenant: isCounted ? tenant : nil)
    calls.open = [:]
    endAllSubscriptions()
    core.manager.remove(self)
    for request in requests.values { request.deadline?.cancel() }
    metrics.requestsInFlight.add(-requests.count)
    requests = [:]
  }

  /// The door takes its side. Caller and door name each other until `detach`.
  package func attach(_ outlet: any Outlet) { self.outlet = outlet }

  package func detach() { outlet = ClosedOutlet() }

  // MARK: Conduct

  /// Small faults of one caller in the window of half a minute; too many end its connection.
  private struct Conduct {
    var since: Int64
    var glitches = 0
    var ignoredRefusals = 0
    var cancelledRequests = 0
    /// Streams that a CANCEL has named.
    var cancelledStreams: Set<UInt32> = []
  }

  /// A CANCEL that crosses the end of its stream counts like one of a running request: the client cannot know which it is.
  /// A second CANCEL of one stream is a mistake (attacks.md S5, R8).
  func cancelledTooLate(_ stream: UInt32) {
    guard !conduct.cancelledStreams.contains(stream) else { return glitch() }
    noteCancel(of: stream)
    cancelledWork()
  }

  /// Beyond the bound a second CANCEL counts like a first one, of which the budget is small.
  func noteCancel(of stream: UInt32) {
    if conduct.cancelledStreams.count < 4_096 { conduct.cancelledStreams.insert(stream) }
  }

  /// The caller's fault, but a small one (attacks.md R8, R9).
  package func glitch() {
    conduct.glitches += 1
    metrics.glitches.add(1)
    if conduct.glitches > Int(core.limits.glitches) { outlet.end(Refusal(.enhanceYourCalm)) }
  }

  /// A request came too early. A client may send all that it has before it reads an answer, so many of these are no
  /// mistake; a client that never waits is stopped (attacks.md R11).
  func askedToWait() {
    conduct.ignoredRefusals += 1
    if conduct.ignoredRefusals > Int(core.limits.ignoredRefusals) { outlet.end(Refusal(.enhanceYourCalm)) }
  }

  /// Work that was begun for nothing. A client may cancel all that it has in flight, even twice in half a minute; one that
  /// keeps starting and cancelling is stopped (attacks.md R8).
  func cancelledWork() {
    conduct.cancelledRequests += 1
    if conduct.cancelledRequests > 2 * Int(core.limits.requestsInFlight) { outlet.end(Refusal(.enhanceYourCalm)) }
  }

  /// Called a few times a second while it is open. A refusal: the connection has to end.
  package func tick(_ now: Int64) -> Refusal? {
    if let refusal = credentialEnds() { return refusal }
    if now - conduct.since >= core.limits.glitchWindowMilliseconds { conduct = Conduct(since: now) }
    return nil
  }

  // MARK: Pages and large answers

  /// Reads of pages, whose answers are large: a few at a time, and only while the peer takes what it asked for
  /// (attacks.md R5).
  private struct PageQueue {
    static let atOnce = 2
    var waiting: [() -> Void] = []
    var inWork = 0
  }

  func whenThereIsRoom(_ read: @escaping () -> Void) {
    guard !outlet.isClosing else { return }
    guard pages.inWork < PageQueue.atOnce, hasRoom else {
      pages.waiting.append(read)
      return
    }
    pages.inWork += 1
    read()
  }

  func pageIsDone() {
    pages.inWork -= 1
    outlet.flush()
    startPages()
  }

  package func startPages() {
    while pages.inWork < PageQueue.atOnce, hasRoom, !pages.waiting.isEmpty {
      pages.inWork += 1
      pages.waiting.removeFirst()()
    }
  }

  /// False: the answer waits until the peer has taken what it asked for before. Answers may be large however small
  /// requests are (attacks.md R4).
  func mayAnswer(_ stream: UInt32, _ answer: Answer) -> Bool {
    if waitingAnswers.isEmpty, hasRoom || outlet.isClosing { return true }
    waitingAnswers.append((stream, answer))
    return false
  }

  private static let answerBytes = 64 * 1024

  /// Sends answers that waited, while there is room.
  package func answerWaiting() {
    // Writing may tell at once that there is room again.
    guard !waitingAnswers.isEmpty, !isAnswering else { return }
    isAnswering = true
    defer { isAnswering = false }
    while !waitingAnswers.isEmpty, hasRoom {
      let next = waitingAnswers.removeFirst()
      finish(next.stream, next.answer, follows: nil)
      if outlet.queuedBytes >= Self.answerBytes { outlet.flush() }
    }
    outlet.flush()
  }
}

/// The outlet of a caller whose connection has ended.
private final class ClosedOutlet: Outlet {
  var isClosing: Bool { true }
  var hasRoom: Bool { false }
  var queuedBytes: Int { 0 }
  var addresses: (client: SocketAddress?, server: SocketAddress?) { (nil, nil) }
  func answer(_ message: AnswerMessage, to stream: UInt32, _ method: Method) {}
  func send(_ event: StoredEvent, of agent: ThreadID?, to stream: UInt32, replayed: Bool) -> Int { 0 }
  func send(_ event: SubscriptionEvent, to stream: UInt32) -> Int { 0 }
  func send(notice: SubscriptionEvent) {}
  func send(call: ServerCall, on stream: UInt32) {}
  func withdraw(_ method: Method, from stream: UInt32) {}
  func goAway(_ refusal: Refusal) {}
  func flush() {}
  func end(_ refusal: Refusal) {}
  func requestEnded() {}
}
