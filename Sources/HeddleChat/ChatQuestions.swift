// Questions of the model's to the person. The first answer of any client counts, and the log says which one that was.

import HeddleClient
import HeddleCore

extension ChatState {
  /// The question that the next line answers.
  public var question: ChatQuestion? { questions.first { $0.answer == nil && !$0.isWithdrawn } }

  mutating func asked(_ id: UInt64, _ request: RequestUserInputRequest) {
    // Asked again on another connection: shown already, and perhaps answered.
    if let index = questions.firstIndex(where: { $0.request.actionHash == request.actionHash }) {
      questions[index].id = id
      questions[index].isWithdrawn = false
      if let answer = questions[index].answer { reply(questions[index], answer) }
      return
    }
    // The question may be faster than the event of the call that asks it.
    guard isLive, toolNames[request.callId] != nil else { return early.append(ChatQuestion(id: id, request: request)) }
    ask(ChatQuestion(id: id, request: request))
  }

  /// The call has been shown, or belongs to what is not shown again.
  mutating func askEarly(_ callID: String? = nil) {
    for question in early where callID == nil || question.request.callId == callID {
      early.removeAll { $0.id == question.id }
      ask(question)
    }
  }

  private mutating func ask(_ question: ChatQuestion) {
    let request = question.request
    questions.append(question)
    show(.line([Span(.question, "? " + request.question)]))
    for (index, choice) in request.choices.enumerated() {
      show(.line([Span(.question, "  \(index + 1)  "), Span(.plain, TerminalText.summary(choice, cells: 400))]))
    }
    let how = request.choices.isEmpty ? "write the answer" : "answer with a number or the words"
    note(.faint, "  (\(how); /decline to leave it)")
  }

  mutating func withdrawn(_ id: UInt64) {
    early.removeAll { $0.id == id }
    // Without a connection every question is; a server that still wants to know asks again.
    guard isConnected, let index = questions.firstIndex(where: { $0.id == id }) else { return }
    questions[index].isWithdrawn = true
  }

  mutating func answer(_ text: String) {
    guard let index = questions.firstIndex(where: { $0.answer == nil && !$0.isWithdrawn }) else { return }
    let choices = questions[index].request.choices
    guard choices.isEmpty || Self.choice(text, choices) != nil else {
      return note(.failure, "Choose 1 to \(choices.count), or write one of them; /decline to leave it.")
    }
    let answer = Self.choice(text, choices) ?? text
    questions[index].answer = answer
    if isConnected {
      reply(questions[index], answer)
    } else {
      note(.note, "Not connected; it will be sent when the server asks again.")
    }
  }

  private mutating func reply(_ question: ChatQuestion, _ answer: String) {
    effects.append(
      .answer(question.id, RequestUserInputResponse(answer: answer, actionHash: question.request.actionHash)))
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

  mutating func decline() {
    guard let question else { return note(.note, "No question is open.") }
    questions.removeAll { $0.id == question.id }
    effects.append(.decline(question.id))
  }

  /// The log has an answer.
  mutating func settle(_ output: ToolOutputItem, _ text: String) {
    guard let index = questions.firstIndex(where: { $0.request.callId == output.callId }) else { return }
    let question = questions.remove(at: index)
    guard question.answer != text else { return }
    switch output.reason {
    case "": note(.note, "— another client has answered")
    case "tool_timeout": note(.note, "— the time to answer is over")
    default: note(.note, "— the question is closed")
    }
  }
}
