// The checks of an answer to a call of the server: the same for an answer on a stream of the server's and for one that is a
// request, CallService/Answer. A value, because the second kind is checked on the loop of the call's thread.
//
// An output of nil means that the client leaves the call to the others.

import HeddleCore

struct AnswerCheck: Sendable {
  private let limit: Int

  init(_ limits: Limits) { limit = limits.toolOutputBytes }

  /// The output that the answer of a request gives to this call.
  func output(of answer: AnswerCallRequest, to call: ClientCall) -> Result<ToolAnswer?, Refusal> {
    switch answer.answer {
    case .refused(let error)?: .success(output(of: error))
    case .tool(let said)? where call.question == nil: output(of: said)
    case .input(let said)? where call.question != nil: output(of: said, to: call)
    // A tool's output for a question, or a person's words for a tool.
    case .tool?, .input?: .failure(Refusal(.actionChanged))
    case nil: .failure(Refusal(.unknownOperation, [("field", "answer")]))
    }
  }

  /// A client that does not have the tool leaves it to the others; any other error is the tool's output.
  func output(of error: WireError) -> ToolAnswer? {
    guard error.code != .unimplemented else { return nil }
    let text = error.message.isEmpty ? "The tool failed." : error.message
    return .failed(.failed, text.prefix(utf8Bytes: limit))
  }

  func output(of said: CallToolResponse) -> Result<ToolAnswer?, Refusal> {
    var bytes = 0
    for part in said.content {
      switch part.part {
      case .text(let text)?: bytes += text.utf8.count
      case .image(let image)?: bytes += image.url.utf8.count
      case .encrypted?, .opaque?, nil: return .failure(Refusal(.unknownOperation, [("field", "content.part")]))
      }
    }
    guard bytes <= limit else {
      return .failure(Refusal(.textTooLong, [("field", "content"), ("limit", "\(limit)")]))
    }
    return .success(ToolAnswer(content: said.content, success: said.success, failure: said.success ? nil : .failed))
  }

  func output(of said: RequestUserInputResponse, to call: ClientCall) -> Result<ToolAnswer?, Refusal> {
    guard said.actionHash == call.actionHash else { return .failure(Refusal(.actionChanged)) }
    guard !said.answer.isEmpty else { return .failure(Refusal(.missingField, [("field", "answer")])) }
    guard said.answer.utf8.count <= limit else {
      return .failure(Refusal(.textTooLong, [("field", "answer"), ("limit", "\(limit)")]))
    }
    // By bytes: a choice that only looks like one of those offered is not it.
    let choices = call.question?.choices ?? []
    let isOffered = choices.contains { $0.utf8.elementsEqual(said.answer.utf8) }
    guard choices.isEmpty || isOffered else {
      return .failure(Refusal(.outOfRange, [("field", "answer"), ("choices", "\(choices.count)")]))
    }
    return .success(.text(said.answer))
  }
}
