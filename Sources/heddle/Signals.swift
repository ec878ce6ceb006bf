// SIGINT and SIGTERM as something that is awaited: a recording or a load run ends with what it has.

import Dispatch
import Foundation

enum Signals {
  /// Returns when the first signal comes; a second one ends the process at once.
  static func wait() async {
    let (stream, continuation) = AsyncStream<Int32>.makeStream()
    let sources = SignalSources { continuation.yield($0) }
    for await _ in stream { break }
    sources.cancel()
  }
}

private struct SignalSources {
  private let sources: [any DispatchSourceSignal]

  init(_ received: @escaping @Sendable (Int32) -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler { received(number) }
      source.resume()
      return source
    }
  }

  func cancel() {
    for source in sources { source.cancel() }
    for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
  }
}
