// SIGINT and SIGTERM as something that is awaited: a recording or a load run ends with what it has.

import Dispatch
import Foundation

enum Signals {
  /// Returns when the first signal comes; a second one ends the process at once.
  static func wait() async { await caught().wait() }

  /// From now on signals are caught: before a program says that it is ready.
  static func caught() async -> CaughtSignals {
    let signals = CaughtSignals()
    await signals.registered()
    return signals
  }
}

struct CaughtSignals {
  private let stream: AsyncStream<Int32>
  private let registrations: AsyncStream<Void>
  private let sources: SignalSources

  fileprivate init() {
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    let (registrations, registered) = AsyncStream<Void>.makeStream()
    self.stream = stream
    self.registrations = registrations
    sources = SignalSources(registered: { registered.yield() }, received: { continuation.yield($0) })
  }

  /// A source catches signals when it is registered, not when it is made; until then they would be lost.
  fileprivate func registered() async {
    for await _ in registrations.prefix(2) {}
  }

  /// Returns when the first signal comes; a second one ends the process at once.
  func wait() async {
    for await _ in stream { break }
    sources.cancel()
  }
}

private struct SignalSources {
  private let sources: [any DispatchSourceSignal]

  init(registered: @escaping @Sendable () -> Void, received: @escaping @Sendable (Int32) -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { received(number) }
      source.setRegistrationHandler { registered() }
      source.resume()
      return source
    }
  }

  func cancel() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
