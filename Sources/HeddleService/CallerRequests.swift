// The life of a caller's request: admitted, accepted, served, and perhaps cancelled.

import Crypto
import Foundation
import HeddleCore
import HeddleProtocol
import HeddleRuntime
import NIOCore

extension Caller {
  /// Whether a request of this method is served now; asked before any byte of it is decoded.
  package func refusal(of method: Method) -> Refusal? {
    let arrival = RequestGate.Arrival(
      method: method, tenant: tenant, isAdmin: principal?.isAdmin == true, inFlight: inFlight,
      comesInTime: rules.servesWhileDraining)
    guard case .refused(let refusal) = RequestGate(core: core).admit(arrival) else { return nil }
    if refusal.reason == .permissionDenied { auditDenial(method) }
    return refusal
  }

  /// Checks what comes beside a request: its deadline, and a fresh token, which counts from now on.
  package func refusal(of metadata: Metadata) -> Refusal? {
    if case .refused(let refusal) = RequestGate.admit(deadlineMilliseconds: metadata.deadlineMs) { return refusal }
    return takeFresh(metadata.token)
  }

  /// Nil: there is no token, or it is one of this caller's tenant and counts from now on.
  private func takeFresh(_ token: String) -> Refusal? {
    guard !token.isEmpty, core.authentication != nil else { return nil }
    if identity.credential?.digest == Array(SHA256.hash(data: Data(token.utf8))) { return nil }
    switch credential(of: token) {
    case .success(let fresh) where fresh.principal.isOf(tenant):
      renew(fresh)
      return nil
    case .success: return Refusal(.invalidToken)
    case .failure(let fault): return Refusal(ServerCore.reason(fault))
    }
  }

  /// Serves a request that has passed all checks. Its answer comes on `stream`.
  package func serve(_ stream: UInt32, _ request: Request, _ metadata: Metadata?) {
    let method = request.method
    var slot = InFlight(method: method)
    slot.beganAt = loop.time
    if let deadline = metadata?.deadlineMs {
      slot.deadline = context.eventLoop.scheduleTask(in: .milliseconds(deadline)) {
        self.deadlinePassed(stream)
      }
    }
    if core.manager.isTracing || metadata?.traceparent.isEmpty == false {
      slot.trace = RequestTrace(metadata, method, core.manager.tracer)
    }
    let trace = slot.trace?.context
    requests[stream] = slot
    metrics.requestsInFlight.add(1)
    if let log = core.audit, method.isAudited, let refusal = audit(log, request) {
      return finish(stream, .refused(refusal), follows: nil)
    }
    var context = RequestContext(method, Reply(to: self, stream))
    guard let key = RequestGate.key(metadata?.idempotencyKey, tenant: tenant, request, &loop.codec) else {
      if let trace { context.beside = Beside(key: nil, trace: trace) }
      return route(request, stream, context)
    }
    context.beside = Beside(key: key, trace: trace)
    let keyed = context
    core.manager.keyed(keyed, key) { self.context.run { self.route(request, stream, keyed) } }
  }

  /// The client takes back what it asked on this stream. `wasUsed`: there was a request on it.
  package func cancel(_ stream: UInt32, wasUsed: Bool) {
    if let request = requests[stream], !request.isAbandoned {
      noteCancel(of: stream)
      abandon(stream, Refusal(.cancelled))
      // A subscription that opens does no work to speak of.
      if request.method != .threadSubscribe { cancelledWork() }
    } else if subscriptions[stream] != nil {
      noteCancel(of: stream)
      endSubscription(stream, telling: Refusal(.cancelled))
    } else if wasUsed {
      cancelledTooLate(stream)
    } else {
      glitch()
    }
  }

  /// The client gets its terminal answer now; the slot stays taken until the work ends (attacks.md S6, R8).
  func abandon(_ stream: UInt32, _ refusal: Refusal) {
    guard let request = requests[stream], !request.isAbandoned else { return }
    requests[stream]?.isAbandoned = true
    forgetSubscription(stream)
    metrics.answered(request.method, refusal.reason.code)
    request.trace?.end(refusal)
    outlet.answer(.error(refusal.wire), to: stream, request.method)
  }

  private func deadlinePassed(_ stream: UInt32) {
    guard requests[stream] == nil else { return abandon(stream, Refusal(.deadlineExceeded)) }
    endSubscription(stream, telling: Refusal(.deadlineExceeded))
  }

  /// Takes a request out of those in flight: it has been answered, or has become a stream.
  func freeSlot(_ stream: UInt32, keepsDeadline: Bool = false) -> InFlight? {
    guard let slot = requests.removeValue(forKey: stream) else { return nil }
    metrics.requestsInFlight.add(-1)
    if !keepsDeadline { slot.deadline?.cancel() }
    if !slot.isAbandoned { metrics.took(slot.method, nanoseconds: loop.time &- slot.beganAt) }
    return slot
  }

  /// More bytes that a subscription may send.
  package func credit(_ stream: UInt32, _ bytes: Int) {
    guard bytes > 0, subscriptions[stream] != nil else { return glitch() }
    addCredit(stream, bytes)
  }
}
