// A run of a load.

public enum Load {
  public static func run(
    _ options: LoadOptions, stop: RunStop, sample: (RunSample, RunResult) -> Void = { _, _ in }
  ) async throws -> RunResult {
    let address = try HostAddress.resolve(options.host, port: options.port)
    let runner = try await Runner(loops: min(options.loops, options.connections))
    let working = WorkCount(options.connections)
    let shared = SharedThread()
    let works = try await runner.make(options.connections) { index, loop, statistics in
      LoadConnection(
        loop: loop, options: options, address: address, index: index, statistics: statistics, shared: shared,
        ended: { working.end() })
    }
    return try await runner.run(
      works, seconds: options.seconds, stop: stop, patience: options.notesThreads ? LoadConnection.patience : 0,
      isDone: { working.isZero }, sample: sample)
  }
}
