// The terminal of `heddle chat`: raw mode and back on every way out, its size, bytes from it and to it.

import Foundation
import HeddleChat
import Synchronization

/// The terminal's state before. Written once before raw mode begins, and read by handlers of signals, which may not
/// take a lock. Not a global value: address sanitizer saw that one to be shorter than what the system writes.
nonisolated(unsafe) private let attributesBefore = UnsafeMutablePointer<termios>.allocate(capacity: 1)
/// Whether there is something to put back.
private let isRaw = Atomic(false)

enum ChatTerminal {
  /// Bracketed paste: pasted line breaks are no Enter.
  private static let pasteOn = "\u{1B}[?2004h"

  /// Again, if a shell has changed the terminal while the program was stopped.
  static func enterRaw() {
    if !isRaw.load(ordering: .sequentiallyConsistent) {
      guard tcgetattr(STDIN_FILENO, attributesBefore) == 0 else { return }
    }
    var raw = attributesBefore.pointee
    // Keys one by one, and Ctrl-C as a key. Output is left as it is: a line break still goes to the first column.
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | BRKINT | ISTRIP)
    withUnsafeMutableBytes(of: &raw.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
    }
    isRaw.store(true, ordering: .sequentiallyConsistent)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &raw)
    _ = write(pasteOn)
  }

  /// Safe in a handler of a signal: two system calls and no memory.
  static func restore() {
    guard isRaw.exchange(false, ordering: .sequentiallyConsistent) else { return }
    let pasteOff: StaticString = "\u{1B}[?2004l\u{1B}[0m"
    _ = Foundation.write(STDOUT_FILENO, pasteOff.utf8Start, pasteOff.utf8CodeUnitCount)
    tcsetattr(STDIN_FILENO, TCSADRAIN, attributesBefore)
  }

  /// Gives the shell its turn; returns when the shell says so. The signal is for this very thread, because one for the
  /// process may be taken by another while this one runs on; threads of a pool have it blocked.
  static func stop() {
    var only = sigset_t()
    var before = sigset_t()
    sigemptyset(&only)
    sigaddset(&only, SIGTSTP)
    pthread_sigmask(SIG_UNBLOCK, &only, &before)
    raise(SIGTSTP)
    pthread_sigmask(SIG_SETMASK, &before, nil)
  }

  /// A program that crashes gives the terminal back too.
  static func restoreOnEveryEnd() {
    atexit { ChatTerminal.restore() }
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE] {
      signal(number) { number in
        ChatTerminal.restore()
        signal(number, SIG_DFL)
        raise(number)
      }
    }
  }

  static var size: (width: Int, height: Int) {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// False when nobody reads any more.
  static func write(_ text: String, to descriptor: Int32 = STDOUT_FILENO) -> Bool {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads standard input on a thread of its own, until its end: a read of a terminal cannot be cancelled, and needs not
  /// be, because the program ends before it.
  static func read(into inbox: ChatInbox, isTerminal: Bool) {
    let thread = Thread {
      var buffer = [UInt8](repeating: 0, count: 64 * 1024)
      while true {
        inbox.waitForRoom()
        let count = Foundation.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return inbox.post(.endOfInput) }
        inbox.post(.bytes(Array(buffer[..<count])))
        guard isTerminal, buffer[..<count].contains(0x1B) else { continue }
        // An ESC that nothing follows was the key.
        var one = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
        if poll(&one, 1, 50) == 0 { inbox.post(.quiet) }
      }
    }
    thread.start()
  }
}

/// Everything that reaches the loop of a chat.
enum ChatArrival: Sendable {
  case chat(ChatInput)
  case bytes([UInt8])
  /// No byte follows for now.
  case quiet
  /// Time has gone on.
  case tick
  case endOfInput
  case resized
  case continued
  case signal(Int32)
}

/// Where everything that concerns a chat waits for its one loop, in order. Bounded for what can wait: events of threads,
/// and standard input.
final class ChatInbox: Sendable {
  private struct State {
    var arrivals: [ChatArrival] = []
    var reader: CheckedContinuation<Void, Never>?
    var writers: [CheckedContinuation<Void, Never>] = []
    var isHeld = false
  }

  private static let capacity = 256
  private let state = Mutex(State())
  private let room = NSCondition()

  /// Adds without waiting: for what comes seldom, and from where nothing may wait.
  func post(_ arrival: ChatArrival) {
    let reader = state.withLock { state in
      state.arrivals.append(arrival)
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// Adds when there is room.
  func put(_ arrival: ChatArrival) async {
    await withCheckedContinuation { continuation in
      let isFull = state.withLock { state in
        guard state.arrivals.count >= Self.capacity else { return false }
        state.writers.append(continuation)
        return true
      }
      if !isFull { continuation.resume() }
    }
    post(arrival)
  }

  /// Everything that has come, at least one. For one reader.
  func take() async -> [ChatArrival] {
    await withCheckedContinuation { continuation in
      let isReady = state.withLock { state in
        if state.arrivals.isEmpty { state.reader = continuation }
        return !state.arrivals.isEmpty
      }
      if isReady { continuation.resume() }
    }
    let (arrivals, writers) = state.withLock { state in
      defer { (state.arrivals, state.writers) = ([], []) }
      return (state.arrivals, state.writers)
    }
    for writer in writers { writer.resume() }
    return arrivals
  }

  /// Lets the reader of standard input wait, or go on.
  func hold(_ isHeld: Bool) {
    room.withLock {
      state.withLock { $0.isHeld = isHeld }
      room.broadcast()
    }
  }

  fileprivate func waitForRoom() {
    room.withLock {
      while state.withLock({ $0.isHeld }) { room.wait() }
    }
  }
}
