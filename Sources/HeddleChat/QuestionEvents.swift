// Questions of the model's to the person. The first answer of any client counts, and the log says which one that was.

import HeddleClient
import HeddleCore

extension ChatState {
  /// The question that the next line answers.
  public var question: ChatQuestion? { questions.current }

  mutating func asked(_ id: UInt64, _ request: RequestUserInputRequest) {
    // Asked again on another connection: shown already, and perhaps answered.
    if let question = questions.renew(id, request) {
      if let answer = question.answer { reply(question, answer) }
      return
    }
    let question = ChatQuestion(id: id, request: request)
    // The question may be faster than the event of the call that asks it.
    guard position.isLive, transcript.tools[request.callId] != nil else { return questions.hold(question) }
    ask(question)
  }

  /// The call has been shown, or belongs to what is not shown again.
  mutating func askHeld(_ callID: String? = nil) {
    for question in questions.takeHeld(callID) { ask(question) }
  }

  private mutating func ask(_ question: ChatQuestion) {
    let request = question.request
    questions.add(question)
    show(.line([Span(.question, "? " + request.question)]))
    for (index, choice) in request.choices.enumerated() {
      show(.line([Span(.question, "  \(index + 1)  "), Span(.plain, TerminalText.summary(choice, cells: 400))]))
    }
    let how = request.choices.isEmpty ? "write the answer" : "answer with a number or the words"
    note(.faint, "  (\(how); /decline to leave it)")
  }

  mutating func answer(_ text: String) {
    guard let question else { return }
    let choices = question.request.choices
    let choice = ChatQuestions.choice(text, choices)
    guard choices.isEmpty || choice != nil else {
      return note(.failure, "Choose 1 to \(choices.count), or write one of them; /decline to leave it.")
    }
    let answer = choice ?? text
    questions.answerCurrent(answer)
    if isConnected {
      reply(question, answer)
    } else {
      note(.note, "Not connected; it will be sent when the server asks again.")
    }
  }

  private mutating func reply(_ question: ChatQuestion, _ answer: String) {
    effects.append(
      .answer(question.id, RequestUserInputResponse(answer: answer, actionHash: question.request.actionHash)))
  }

  mutating func decline() {
    guard let question else { return note(.note, "No question is open.") }
    questions.remove(question.id)
    effects.append(.decline(question.id))
  }

  /// The log has an answer.
  mutating func settle(_ output: ToolOutputItem, _ text: String) {
    guard let question = questions.remove(call: output.callId), question.answer != text else { return }
    switch output.reason {
    case "": note(.note, "— another client has answered")
    case "tool_timeout": note(.note, "— the time to answer is over")
    default: note(.note, "— the question is closed")
    }
  }
}
