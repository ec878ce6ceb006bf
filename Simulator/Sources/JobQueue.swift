// The executor of the simulated server's tasks: one after the other, when the simulation says so.

final class JobQueue: TaskExecutor, @unchecked Sendable {
  private var jobs: [UnownedJob] = []
  private var first = 0

  func enqueue(_ job: consuming ExecutorJob) { jobs.append(UnownedJob(job)) }

  var isEmpty: Bool { first == jobs.count }

  /// Runs the job that has waited longest; false: there is none.
  func step() -> Bool {
    guard first < jobs.count else { return false }
    let job = jobs[first]
    first += 1
    if first == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      first = 0
    }
    job.runSynchronously(on: asUnownedTaskExecutor())
    return true
  }
}
