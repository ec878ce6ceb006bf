// The model's questions to the person, as they are open, answered or taken back.

import HeddleCore

/// A question of the model's that is open.
public struct ChatQuestion: Equatable, Sendable {
  public var id: UInt64
  public var request: RequestUserInputRequest
  /// The answer that was given; kept until the log has it, in case that the connection is lost on the way.
  var answer: String?
  /// The server asks no more, for a reason that the log will tell.
  var isWithdrawn = false

  /// The person has to answer.
  var waits: Bool { answer == nil && !isWithdrawn }
}

struct ChatQuestions: Equatable, Sendable {
  private var open: [ChatQuestion] = []
  /// Questions whose call has not been shown.
  private var early: [ChatQuestion] = []

  /// The question that the next line answers.
  var current: ChatQuestion? { open.first(where: \.waits) }

  mutating func add(_ question: ChatQuestion) { open.append(question) }

  /// Keeps a question until its call has been shown.
  mutating func hold(_ question: ChatQuestion) { early.append(question) }

  /// Questions that were held: of this call, or all.
  mutating func takeHeld(_ call: String?) -> [ChatQuestion] {
    let taken = early.filter { call == nil || $0.request.callId == call }
    early.removeAll { question in taken.contains { $0.id == question.id } }
    return taken
  }

  /// A question that is asked again on another connection, if this is one.
  mutating func renew(_ id: UInt64, _ request: RequestUserInputRequest) -> ChatQuestion? {
    guard let index = open.firstIndex(where: { $0.request.actionHash == request.actionHash }) else { return nil }
    open[index].id = id
    open[index].isWithdrawn = false
    return open[index]
  }

  /// The server asks no more. Without a connection it asks nothing; if it still wants to know, it asks again.
  mutating func withdraw(_ id: UInt64, isConnected: Bool) {
    early.removeAll { $0.id == id }
    guard isConnected, let index = open.firstIndex(where: { $0.id == id }) else { return }
    open[index].isWithdrawn = true
  }

  mutating func answerCurrent(_ answer: String) {
    guard let index = open.firstIndex(where: \.waits) else { return }
    open[index].answer = answer
  }

  mutating func remove(_ id: UInt64) { open.removeAll { $0.id == id } }

  /// Takes out the question that a call asked.
  mutating func remove(call: String) -> ChatQuestion? {
    open.firstIndex { $0.request.callId == call }.map { open.remove(at: $0) }
  }

  /// A turn has ended, and its questions with it; gives those that were shown.
  mutating func close(_ turn: TurnID) -> [ChatQuestion] {
    defer { open.removeAll { $0.request.turn == turn } }
    early.removeAll { $0.request.turn == turn }
    return open.filter { $0.request.turn == turn }
  }

  /// The choice that is meant: word for word, by its number, or as the one that begins like this.
  static func choice(_ text: String, _ choices: [String]) -> String? {
    let text = text.trimmingSuffixWhitespace()
    if let exact = choices.first(where: { $0 == text }) { return exact }
    if let number = Int(text) {
      return (1...max(1, choices.count)).contains(number) ? choices.dropFirst(number - 1).first : nil
    }
    let alike = choices.filter { $0.lowercased().hasPrefix(text.lowercased()) }
    return alike.count == 1 ? alike[0] : nil
  }
}
