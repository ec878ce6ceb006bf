// A turn as a program runs it: its text as it comes, each byte once, also over lost connections.

import HeddleCore
import Synchronization

/// Made by `HeddleClient.turn`. Take `text` or `result()`, once.
public final class RunningTurn: Sendable {
  private struct State {
    var id: TurnID?
    var usage: TokenUsage?
    var whole = ""
    /// Bytes of each of the model's messages that have come, wherever they came from.
    var seen: [ItemID: UInt64] = [:]
  }

  private let client: HeddleClient
  private let request: StartTurnRequest
  private let key: IdempotencyKey?
  private let state = Mutex(State())

  init(_ client: HeddleClient, _ request: StartTurnRequest, _ key: IdempotencyKey?) {
    self.client = client
    self.request = request
    self.key = key
  }

  /// The turn's id, as soon as it is started.
  public var id: TurnID? { state.withLock { $0.id } }

  /// The tokens used, when the turn has ended.
  public var usage: TokenUsage? { state.withLock { $0.usage } }

  /// The model's words as they come. The turn starts with the first pull. It throws a `HeddleError` of the kind
  /// `turnFailed` if the turn ends without a result; if the consumer's task is cancelled, the turn is interrupted.
  public var text: Text { Text(turn: self) }

  /// Waits for the end and returns the whole text.
  public func result() async throws -> String {
    for try await _ in text {}
    return state.withLock { $0.whole }
  }

  public struct Text: AsyncSequence, Sendable {
    public typealias Element = String
    let turn: RunningTurn

    public func makeAsyncIterator() -> Iterator { Iterator(turn: turn) }

    public struct Iterator: AsyncIteratorProtocol {
      let turn: RunningTurn
      private var events: Subscription?
      private var isOver = false

      init(turn: RunningTurn) { self.turn = turn }

      public mutating func next() async throws -> String? {
        if isOver { return nil }
        do {
          let events: Subscription
          if let begun = self.events { events = begun } else { events = try await turn.begin() }
          self.events = events
          while let message = try await events.next() {
            let piece = turn.take(message)
            if let ended = TurnEnded(message), ended.turn == turn.id {
              isOver = true
              self.events = nil
              await events.close()
              try turn.ended(ended)
              return piece.isEmpty ? nil : piece
            }
            if !piece.isEmpty { return piece }
          }
          throw HeddleError.closed
        } catch {
          isOver = true
          await events?.close()
          events = nil
          if Task.isCancelled { await turn.interrupt() }
          throw error
        }
      }
    }
  }

  private func begin() async throws -> Subscription {
    let events = client.subscribe(SubscribeRequest(thread: request.thread))
    do {
      try await events.opened()
      let started = try await client.turns.start(request, key: key)
      state.withLock { $0.id = started.turn }
      return events
    } catch {
      await events.close()
      throw error
    }
  }

  /// The program has given the turn up: the server need not go on with it.
  private func interrupt() async {
    guard let id else { return }
    // A task of its own, because the program's is cancelled already; awaited here, so nothing is left behind.
    await Task { [client, request] in
      let asked = InterruptTurnRequest(thread: request.thread, turn: id)
      _ = try? await client.call(.turnInterrupt, asked, as: InterruptTurnResponse.self, deadline: .seconds(5))
    }.value
  }

  private func ended(_ ended: TurnEnded) throws {
    let whole = state.withLock { state in
      state.usage = ended.usage
      return state.whole
    }
    if ended.status == .completed { return }
    let error = ended.error ?? TurnError()
    let text = error.message.isEmpty ? "the turn ended as \(ended.status.name)" : error.message
    var failure = HeddleError(.turnFailed, text, refusal: WireError(reason: error.reason, message: error.message))
    failure.turnStatus = ended.status
    failure.text = whole
    throw failure
  }

  // MARK: text

  private func take(_ message: SubscriptionEvent) -> String {
    guard message.thread == nil else { return "" }
    return state.withLock { state in
      let piece = Self.piece(message, &state)
      state.whole += piece
      return piece
    }
  }

  private static func piece(_ message: SubscriptionEvent, _ state: inout State) -> String {
    switch message.kind {
    case .delta(let delta) where delta.turn == state.id:
      return unseen(delta.item, delta.offset, delta.text, &state)
    case .snapshot(let snapshot) where snapshot.turn == state.id:
      return unseen(snapshot.item, 0, snapshot.text, &state)
    case .event(let event) where event.turn == state.id:
      switch event.kind {
      case .itemStarted(let started):
        guard let item = started.item, case .message? = item.kind else { return "" }
        state.seen[item.id] = state.seen[item.id] ?? 0
        return ""
      case .itemCompleted(let completed):
        guard let item = completed.item, case .message(let message)? = item.kind, message.role == .assistant else {
          return ""
        }
        state.seen[item.id] = state.seen[item.id] ?? 0
        let parts = message.content.map { part in if case .text(let text)? = part.part { text } else { "" } }
        return unseen(item.id, 0, parts.joined(), &state)
      default: return ""
      }
    default: return ""
    }
  }

  /// The new part of a piece; one beyond a gap waits for the item's end.
  private static func unseen(_ item: ItemID, _ offset: UInt64, _ text: String, _ state: inout State) -> String {
    let bytes = text.utf8
    let (end, overflows) = offset.addingReportingOverflow(UInt64(bytes.count))
    guard let seen = state.seen[item], !overflows, offset <= seen, end > seen else { return "" }
    state.seen[item] = end
    return String(decoding: bytes.dropFirst(Int(seen - offset)), as: UTF8.self)
  }
}

extension TurnEnded {
  fileprivate init?(_ message: SubscriptionEvent) {
    guard message.thread == nil, case .event(let event)? = message.kind, case .turnEnded(let ended)? = event.kind else {
      return nil
    }
    self = ended
  }
}
