// simulator --seeds 10000 [--first 1] [--steps 1500] [--plant NAME | --plants] [--digest] [--verbose] [--tell]
//
// One line at the end; the exit code is not 0 if a fault was found, or, with --plant, if none was.

import CSimulatedDisk
import Glibc
import HeddleTokens

struct Options {
  var seeds = 100
  var first: UInt64 = 1
  var steps = 1_500
  var plant: Plant?
  var allPlants = false
  var showsDigest = false
  var isVerbose = false
  var tells = false

  init(_ arguments: [String]) {
    var arguments = arguments[...]
    func value(_ name: String) -> String {
      guard let text = arguments.popFirst() else { Options.fail("\(name) needs a value") }
      return text
    }
    func number(_ name: String) -> Int {
      guard let number = Int(value(name)), number >= 0 else { Options.fail("\(name) needs a number") }
      return number
    }
    while let name = arguments.popFirst() {
      switch name {
      case "--seeds": seeds = number(name)
      case "--first": first = UInt64(number(name))
      case "--steps": steps = number(name)
      case "--plants": allPlants = true
      case "--digest": showsDigest = true
      case "--tell": tells = true
      case "--verbose": isVerbose = true
      case "--plant":
        let text = value(name)
        guard let plant = Plant(rawValue: text) else {
          Options.fail("no plant `\(text)`; there are: \(Plant.allCases.map(\.rawValue).joined(separator: " "))")
        }
        self.plant = plant
      default: Options.fail("unknown option \(name)")
      }
    }
  }

  static func fail(_ text: String) -> Never {
    print("simulator: \(text)")
    exit(64)
  }
}

@main
struct Simulator {
  let options: Options
  private let authentication: Authentication
  private var totals: [String: Int] = [:]
  private var digest = Digest()

  /// Names of counts that five thousand seeds must have raised: faults, events, answers and refusals.
  private static let mustHappen =
    [
      "fault.power cut", "fault.cut in a write", "fault.cut at the start", "fault.kill", "fault.reset", "fault.deaf",
      "fault.disk", "fault.garbage", "fault.clock", "fault.read",
      "fault.storage failed", "disk.EIO at a write", "disk.EIO at a sync", "disk.EIO at a read",
      "disk.ENOSPC", "disk.kept", "disk.dropped",
      "disk.torn", "disk.trashed", "goaway", "live", "statuses", "deltas", "snapshots", "credit", "answers compared",
      "contexts compared",
      "client.answered", "client.answered by request", "answer.CallService/Answer",
      "model.calls", "model.failures", "model.retries", "model.stalls", "model.summaries", "model.tools told",
      "token.forged", "token.foreign", "token.fresh", "goaway.invalid_token", "goaway.token_expired",
      "goaway.connection_age", "error.connection_age",
      "keys nearly equal", "catalog changed", "forks compared", "forks compared under another catalog",
      "threads in memory", "threads in memory audited", "followed from the answer",
    ]
    + [
      "threadCreated", "settingsUpdated", "versionPinned", "nameChanged", "threadArchived", "threadUnarchived",
      "turnQueued", "queuedTurnCancelled", "turnStarted", "inputSteered", "itemStarted", "itemCompleted",
      "modelRetried",
      "usageReported", "turnEnded", "turnsRolledBack", "contextCompacted", "mailReceived", "mailQueued",
      "mailDelivered",
      "agentActivity", "agentClosed",
    ].map { "event." + $0 }
    + [
      "agent", "agent_closed", "archived", "client_input_refused", "disk_full", "ephemeral_full", "invalid_token",
      "no_turn", "nothing_to_compact", "read_failed",
      "queue_full", "revision_mismatch", "thread", "too_many_turns", "turn", "turn_in_progress", "turn_mismatch",
    ].map { "error." + $0 }
    + combinations

  /// Every method with another tenant's thread, and every setting beside a revision that is right or stale.
  private static let combinations: [String] = {
    var names: [String] = []
    for method in World.methodsOnThreads { names += ["foreign.\(method.path)", "unknown.\(method.path)"] }
    for one in SettingsTry.all {
      names += ["settings.\(one.field)", "settings expected.\(one.field)", "settings stale.\(one.field)"]
    }
    return names
  }()

  private init(_ options: Options, _ authentication: Authentication) {
    self.options = options
    self.authentication = authentication
  }

  static func main() async throws {
    // Hashing by process would make two runs of one seed differ.
    if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
      setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
      execv("/proc/self/exe", CommandLine.unsafeArgv)
      Options.fail("cannot start again with fixed hashing")
    }
    guard simulated_disk_register(World.disk) == 0 else { Options.fail("the simulated disk cannot be registered") }
    let missing = SettingsTry.missing
    guard missing.isEmpty else { Options.fail("settings that no client changes: \(missing.joined(separator: ", "))") }
    let options = Options(Array(CommandLine.arguments.dropFirst()))
    var simulator = Simulator(options, try await Tokens.authentication())
    exit(simulator.options.allPlants ? simulator.findPlants() : simulator.search())
  }

  /// The first seed with a finding, and the finding.
  private mutating func search(_ plant: Plant?) -> (seed: UInt64, text: String)? {
    for seed in options.first..<(options.first + UInt64(options.seeds)) {
      let world = World(seed: seed, steps: options.steps, plant: plant, authentication: authentication)
      var found: String?
      do { try world.run(tells: options.tells) } catch let violation as Violation { found = violation.text } catch {
        found = "\(error)"
      }
      for (name, number) in world.counts { totals[name, default: 0] += number }
      digest.add(world.digest.value)
      if options.isVerbose { say("seed \(seed): digest \(String(world.digest.value, radix: 16)) \(found ?? "clean")") }
      if let found { return (seed, found) }
    }
    return nil
  }

  private mutating func findPlants() -> Int32 {
    var missed = 0
    for plant in Plant.allCases {
      if let found = search(plant) {
        say("planted: \(plant.rawValue) found at seed \(found.seed): \(found.text)")
      } else {
        missed += 1
        say("planted: \(plant.rawValue) NOT FOUND in \(options.seeds) seeds")
      }
    }
    say("planted: bugs=\(Plant.allCases.count) found=\(Plant.allCases.count - missed) missed=\(missed)")
    return missed == 0 ? 0 : 1
  }

  private mutating func search() -> Int32 {
    let found = search(options.plant)
    for (name, number) in totals.sorted(by: { $0.key < $1.key }) { say("  \(name): \(number)") }
    if options.showsDigest { say("digest: \(String(digest.value, radix: 16))") }
    guard let found else {
      // In this many runs everything must happen; an event that never does is not tried any more.
      let missing = options.seeds >= 5_000 ? Self.mustHappen.filter { totals[$0] == nil } : []
      if options.plant == nil, !missing.isEmpty {
        say("simulate: never happened in \(options.seeds) seeds: \(missing.joined(separator: ", "))")
        return 1
      }
      say("simulate: seeds=\(options.seeds) steps=\(options.steps) violations=0")
      return options.plant == nil ? 0 : 1
    }
    say("simulate: seed=\(found.seed) violated: \(found.text)")
    say("again: simulator --first \(found.seed) --seeds 1 --steps \(options.steps)")
    return options.plant == nil ? 1 : 0
  }

  private func say(_ text: String) {
    print(text)
    fflush(nil)
  }
}
