// Runs a chat: hands to `ChatState` what arrives, does what it says, paints what it shows.
//
// One loop owns the state, the editor and the screen. Calls, subscriptions and questions run beside it and come back
// through the inbox.

import Dispatch
import Foundation
import HeddleChat
import HeddleClient
import HeddleCore
import Synchronization

/// How long a chat tries to reach a server that is gone.
struct ChatPatience: Sendable {
  let backoff = Backoff(minimum: .milliseconds(100), maximum: .seconds(3))
  /// In a row; nil: it never gives up.
  let attempts: Int?
}

/// Questions of the server that wait for the person.
final class ChatQuestionDesk: Sendable {
  private typealias Waiting = CheckedContinuation<RequestUserInputResponse, any Error>
  private let waiting = Mutex<(next: UInt64, open: [UInt64: Waiting])>((0, [:]))
  private let inbox: ChatInbox

  init(_ inbox: ChatInbox) { self.inbox = inbox }

  /// Waits for the person, or until the server no longer does.
  func ask(_ request: RequestUserInputRequest) async throws -> RequestUserInputResponse {
    let id = waiting.withLock { waiting in
      waiting.next += 1
      return waiting.next
    }
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let isCancelled = waiting.withLock { waiting in
          // Looked at inside the lock: a cancellation before this is seen here, one after it finds the entry.
          if Task.isCancelled { return true }
          waiting.open[id] = continuation
          return false
        }
        if isCancelled {
          continuation.resume(throwing: CancellationError())
        } else {
          inbox.post(.chat(.asked(id, request)))
        }
      }
    } onCancel: {
      let continuation = waiting.withLock { $0.open.removeValue(forKey: id) }
      guard let continuation else { return }
      continuation.resume(throwing: CancellationError())
      inbox.post(.chat(.withdrawn(id)))
    }
  }

  func settle(_ id: UInt64, _ result: Result<RequestUserInputResponse, any Error>) {
    waiting.withLock { $0.open.removeValue(forKey: id) }?.resume(with: result)
  }
}

struct ChatSession {
  private let client: HeddleClient
  private let inbox: ChatInbox
  private let desk: ChatQuestionDesk
  private let patience: ChatPatience
  private let isTerminal: Bool
  private var state: ChatState
  private var editor: LineEditor
  private var history: ChatHistoryFile?
  private var keys = KeyDecoder()
  private var painter: TerminalPainter
  private var plain = PlainWriter()
  /// Bytes of a line that is not whole, where lines are read.
  private var partLine: [UInt8] = []
  /// Lines before it that ended in a backslash.
  private var earlierLines = ""
  private var outputs: [ChatOutput] = []
  /// Tasks that follow threads; cancelled when the chat goes elsewhere.
  private var followers: [Task<Void, Never>] = []
  private var end: Int32?
  private let clock = ContinuousClock()
  private let began: ContinuousClock.Instant
  private var isTickUnderWay = false

  /// Lines that wait before standard input is left alone for a while.
  private static let backlogLines = 64
  /// Four times a second, so that no second is missed.
  private static let tick = Duration.milliseconds(250)

  init(
    _ client: HeddleClient, _ inbox: ChatInbox, _ desk: ChatQuestionDesk, patience: ChatPatience, state: ChatState,
    isStyled: Bool, rendersMarkdown: Bool, history: ChatHistoryFile?
  ) {
    self.client = client
    self.inbox = inbox
    self.desk = desk
    self.patience = patience
    self.state = state
    isTerminal = state.isInteractive
    let size = ChatTerminal.size
    painter = TerminalPainter(
      width: size.width, height: size.height, isStyled: isStyled, rendersMarkdown: rendersMarkdown)
    began = clock.now
    self.history = history
    let (entries, notice) = self.history?.load() ?? ([], nil)
    editor = LineEditor(history: entries)
    if let notice { outputs.append(.line([Span(.note, notice)])) }
  }

  /// Until the person leaves, or there is nothing left to do. Gives the status to exit with.
  mutating func run(_ thread: ThreadID?) async -> Int32 {
    await withDiscardingTaskGroup { group in
      carryOut(state.open(thread), &group)
      show()
      while end == nil {
        let arrivals = await inbox.take()
        carryOut(state.handle(.time(elapsed)), &group)
        for arrival in arrivals where end == nil { handle(arrival, &group) }
        show()
        keepTime(&group)
      }
      group.cancelAll()
      for follower in followers { follower.cancel() }
    }
    if isTerminal { _ = ChatTerminal.write(painter.takeDown()) }
    return end ?? 0
  }

  /// The thread that the chat was in last.
  var thread: ThreadID? { state.thread?.id }

  private var elapsed: Duration { clock.now - began }

  /// While a turn runs its clock goes on, and a line that waits has its time.
  private mutating func keepTime(_ group: inout DiscardingTaskGroup) {
    guard isTerminal, !isTickUnderWay, state.running != nil || painter.isWaiting else { return }
    isTickUnderWay = true
    group.addTask { [inbox] in
      do { try await Task.sleep(for: Self.tick) } catch { return }
      inbox.post(.tick)
    }
  }

  // MARK: In

  private mutating func handle(_ arrival: ChatArrival, _ group: inout DiscardingTaskGroup) {
    switch arrival {
    case .chat(let input): carryOut(state.handle(input), &group)
    case .bytes(let bytes):
      if isTerminal { pressed(keys.decode(bytes), &group) } else { read(bytes, &group) }
    case .quiet: pressed(keys.flush(), &group)
    case .tick: isTickUnderWay = false
    case .endOfInput:
      if !partLine.isEmpty || !earlierLines.isEmpty { read([UInt8(ascii: "\n")], &group) }
      carryOut(state.handle(.leave), &group)
    case .resized:
      let size = ChatTerminal.size
      painter.resize(width: size.width, height: size.height)
    case .continued:
      guard isTerminal else { return }
      ChatTerminal.enterRaw()
    case .signal(SIGINT): carryOut(state.handle(.interrupt), &group)
    case .signal(let number): end = 128 + number
    }
  }

  private mutating func pressed(_ keys: [Key], _ group: inout DiscardingTaskGroup) {
    for key in keys where end == nil {
      switch editor.handle(key) {
      case .none: carryOut(state.handle(.typed), &group)
      case .changed: carryOut(state.handle(.typed), &group)
      case .submit(let line):
        if let notice = history?.add(line) { outputs.append(.line([Span(.note, notice)])) }
        carryOut(state.handle(.line(line)), &group)
      case .interrupt:
        // The line that is being written goes first, unless there is a turn to end.
        if state.running == nil, !editor.isEmpty { editor.clear() } else { carryOut(state.handle(.interrupt), &group) }
      case .leave: carryOut(state.handle(.leave), &group)
      case .clearScreen: _ = ChatTerminal.write(painter.clearScreen())
      case .suspend: suspend()
      }
    }
  }

  private mutating func read(_ bytes: [UInt8], _ group: inout DiscardingTaskGroup) {
    partLine += bytes
    while let end = partLine.firstIndex(of: UInt8(ascii: "\n")) {
      var line = String(decoding: partLine[..<end], as: UTF8.self)
      partLine.removeSubrange(...end)
      if line.last == "\r" { line.removeLast() }
      // A backslash at the end asks for another line, as it does in the editor.
      if line.last == "\\" {
        earlierLines += line.dropLast() + "\n"
        continue
      }
      let text = earlierLines + line
      earlierLines = ""
      if text.contains(where: { !$0.isWhitespace }) { carryOut(state.handle(.line(text)), &group) }
    }
    inbox.hold(state.backlogCount >= Self.backlogLines)
  }

  private mutating func suspend() {
    _ = ChatTerminal.write(painter.takeDown(rests: true))
    ChatTerminal.restore()
    ChatTerminal.stop()
    ChatTerminal.enterRaw()
  }

  // MARK: Out

  private mutating func carryOut(_ effects: [ChatEffect], _ group: inout DiscardingTaskGroup) {
    for effect in effects {
      switch effect {
      case .show(let output): outputs.append(output)
      case .call(let call):
        group.addTask { [client, inbox, patience] in
          inbox.post(.chat(.answered(call, await Self.perform(call.request, client, patience))))
        }
      case .follow(let thread, let sequence):
        // Held, and cancelled by `unfollowAll` and at the end.
        followers.append(
          Task { [client, inbox] in await Self.follow(thread, after: sequence, client, inbox) })
      case .unfollowAll:
        for follower in followers { follower.cancel() }
        followers = []
      case .answer(let id, let response): desk.settle(id, .success(response))
      case .decline(let id):
        let error = WireError(code: .failedPrecondition, reason: "declined", message: "The user declined to answer.")
        desk.settle(id, .failure(HeddleError.refused(error)))
      case .leave(let status): end = status
      }
    }
    if !isTerminal { inbox.hold(state.backlogCount >= Self.backlogLines) }
  }

  /// Until there is an answer. A request that may have been served is asked again with the key that it had.
  private static func perform(
    _ request: Request, _ client: HeddleClient, _ patience: ChatPatience
  ) async -> Result<Response, HeddleError> {
    var generator = SystemRandomNumberGenerator()
    let key = request.method.isMutation ? IdempotencyKey(high: generator.next(), low: generator.next()) : nil
    var attempt = 0
    while true {
      do { return .success(try await client.call(request, key: key)) } catch let error as HeddleError {
        guard error.isWorthRepeating, attempt < patience.attempts ?? .max else { return .failure(error) }
        let wait = patience.backoff.wait(before: attempt, using: &generator)
        attempt += 1
        if (try? await Task.sleep(for: max(wait, error.retryAfter ?? .zero))) == nil { return .failure(error) }
      } catch { return .failure(HeddleError(.closed, "the chat has ended")) }
    }
  }

  private static func follow(
    _ thread: ThreadID, after sequence: UInt64, _ client: HeddleClient, _ inbox: ChatInbox
  ) async {
    do {
      for try await message in client.subscribe(thread: thread, after: sequence) {
        if Task.isCancelled { return }
        await inbox.put(.chat(.message(thread, message)))
      }
    } catch let error as HeddleError {
      if !Task.isCancelled { inbox.post(.chat(.unfollowed(thread, error))) }
    } catch {
      // Cancelled: the chat is elsewhere.
    }
  }

  private mutating func show() {
    defer { outputs = [] }
    guard isTerminal else {
      for output in outputs {
        let text = plain.write(output)
        if !text.aside.isEmpty { _ = ChatTerminal.write(text.aside, to: STDERR_FILENO) }
        if !text.answer.isEmpty, !ChatTerminal.write(text.answer) { end = end ?? 1 }
      }
      return
    }
    // The terminal is gone when it takes nothing.
    if !ChatTerminal.write(painter.paint(outputs, prompt, at: elapsed)) { end = end ?? 1 }
  }

  private var prompt: TerminalPainter.Prompt {
    TerminalPainter.Prompt(
      panel: state.agents.runningCount > 0 ? state.agents.rows : [], status: state.statusLine,
      label: state.question == nil ? "› " : "answer › ", before: editor.before, after: editor.after)
  }
}

extension HeddleError {
  /// Whether the same request, with the same key, has a better chance later.
  fileprivate var isWorthRepeating: Bool {
    switch kind {
    case .lost, .timedOut, .cannotConnect: true
    case .refused: code == .unavailable
    case .violation, .tooLarge, .closed, .cancelled, .turnFailed: false
    }
  }
}

/// Signals as arrivals; kept alive as long as the chat.
struct ChatSignals {
  private var sources: [any DispatchSourceSignal] = []

  init(_ inbox: ChatInbox) {
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT] { add(number) { inbox.post(.signal(number)) } }
    add(SIGWINCH) { inbox.post(.resized) }
    add(SIGCONT) { inbox.post(.continued) }
    // A reader that has gone is seen when it is written to.
    signal(SIGPIPE, SIG_IGN)
  }

  private mutating func add(_ number: Int32, _ body: @escaping @Sendable () -> Void) {
    // The source sees a signal beside its disposition: without this the first four would still end the program.
    if number != SIGWINCH, number != SIGCONT { signal(number, SIG_IGN) }
    let source = DispatchSource.makeSignalSource(signal: number)
    source.setEventHandler(handler: body)
    source.resume()
    sources.append(source)
  }

  func cancel() { for source in sources { source.cancel() } }
}
