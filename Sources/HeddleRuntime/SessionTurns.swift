// The turns of a session: the permit that a running turn holds (Session.N4), the step that asks the model, and timers.

import HeddleCore
import HeddleStorage
import NIOCore

extension Shard {
  /// A turn has ended: counts it and the tokens that it used.
  func count(ended turn: Turn) {
    context.metrics.turnEnded(turn.status, afterMilliseconds: (turn.endedAt ?? 0) - turn.startedAt)
    guard let used = turn.usage, let provider = turn.context?.settings?.modelProvider else { return }
    node.models.gates[provider]?.metrics?.used(used)
  }
}

extension Session {
  // MARK: Permits (Session.N4)

  /// Takes a permit for a turn that is about to begin; false: the tenant has none left. With `orWait`, that is called when
  /// there may be one.
  func takePermit(orWait: (@Sendable () -> Void)? = nil) -> Bool {
    guard !permit.isTaken else { return true }
    permit.isTaken = shard.node.permits.take(
      tenant, limit: shard.rules.limits.runningTurnsPerTenant, orWait: orWait.map { (id, $0) })
    return permit.isTaken
  }

  /// Holds the tenant's permit while `body` submits the inputs that start the turn. Pass `isHandedOver` if the caller
  /// already acquired the permit.
  func withPermit(isHandedOver: Bool = false, _ body: () -> Void) {
    if isHandedOver { permit.isTaken = true }
    permit.isKept = true
    body()
    permit.isKept = false
    settlePermit()
  }

  /// Session.N4. A turn that begins without having asked, since it was accepted before, is counted too.
  func settlePermit() {
    guard !permit.isKept, !isDropped, permit.isTaken != isRunning else { return }
    permit.isTaken = isRunning
    if permit.isTaken {
      shard.node.permits.add(tenant)
    } else {
      shard.node.permits.giveBack(tenant)
    }
  }

  // MARK: Asking the model

  func startDriver(_ start: ModelStart) {
    driver?.cancel()
    driver = nil
    // A turn that has ended meanwhile asks no model.
    guard machine.record.running?.id == start.turn else { return }
    driver = TurnDriver(self, start, shard.node, shard.inbox)
    driver?.start()
  }

  func contextSource(all: Bool) -> ContextSource {
    let isSettled = all && machine.record.sequence == durable
    let range = ContextRange(machine.record, upTo: durable)
    let kept = isSettled ? context?.history(range) : nil
    // Events that are decided from here on are added to the history that is about to be read.
    if isSettled, kept == nil {
      forgetContext()
      context = shard.contexts.begin(range)
    }
    return ContextSource(thread: id, range: range, inMemory: isEphemeral && kept == nil ? log : nil, kept: kept)
  }

  func keep(_ history: History, _ range: ContextRange) {
    // Two may have read the same.
    guard let context, context.range == range, !context.isWhole else { return }
    shard.contexts.begin(context, with: history)
  }

  func forgetContext() {
    if let context { shard.contexts.forget(context) }
    context = nil
  }

  func stopDriver() {
    driver?.cancel()
    driver = nil
  }

  func set(_ timer: ThreadTimer, _ at: Int64) {
    timers.removeValue(forKey: timer)?.cancel()
    let delay = max(0, at - shard.clock.instant())
    timers[timer] = shard.eventLoop.scheduleTask(in: .milliseconds(delay)) { [weak self] in
      guard let self else { return }
      timers[timer] = nil
      if timers.isEmpty { timers = [:] }
      input(.timer(timer))
    }
  }
}
