// Faults of a provider's answer, and the text that shows them, against the rows of attacks.md.

import HeddleCore
import HeddleRuntime
import Testing

@testable import HeddleModels

@Suite struct AnswerFaultTests {
  private let words = FailureWords(provider: "there", secrets: ["sk-very-secret-key", "tok"])

  private func fault(_ status: Int?, _ error: ProviderError = ProviderError()) -> AnswerFault {
    words.fault(error, status: status, retryAfter: 5)
  }

  @Test("M24: a status has one reason, and is tried again if it may pass")
  func statuses() {
    let table: [(Int, String, Bool)] = [
      (400, "model_failed", false), (401, "model_unauthorized", false), (402, "model_rate_limited", false),
      (403, "model_unauthorized", false), (404, "model_failed", false), (408, "model_failed", true),
      (409, "model_failed", true), (413, "context_window_exceeded", false), (422, "model_failed", false),
      (429, "model_rate_limited", true), (500, "model_failed", true), (502, "model_failed", true),
      (503, "model_failed", true), (529, "model_rate_limited", true), (302, "model_failed", false),
      (204, "model_failed", false),
    ]
    for (status, reason, isRetried) in table {
      #expect(fault(status).reason == reason, "\(status)")
      #expect(fault(status).isRetried == isRetried, "\(status)")
      #expect(fault(status).retryAfterMilliseconds == (isRetried ? 5 : nil))
    }
  }

  @Test("A history that does not fit is told apart from other refusals, by code or by words")
  func contextWindow() {
    for code in ["context_length_exceeded", "exceed_context_size_error", "request_too_large"] {
      #expect(fault(400, ProviderError(codes: [code])).reason == "context_window_exceeded")
    }
    for message in [
      "This model's maximum context length is 8192 tokens.", "prompt is too long: 9 tokens > 8 maximum",
      "input length and `max_tokens` exceed context limit", "the request exceeds the available context size",
      "Your input exceeds the context window of this model.", "The history exceeds the model's context.",
    ] {
      for status in [nil, 400, 422] {
        #expect(fault(status, ProviderError(message: message)).reason == "context_window_exceeded")
      }
      #expect(fault(500, ProviderError(message: message)).reason == "model_failed")
    }
  }

  @Test("M24: a code in the middle of a stream has one reason, and is tried again if it may pass")
  func codes() {
    let table: [(String, Bool, [String])] = [
      ("model_unauthorized", false, ["authentication_error", "permission_error", "invalid_api_key"]),
      ("model_rate_limited", false, ["insufficient_quota", "billing_error", "billing_hard_limit_reached"]),
      (
        "model_rate_limited", true,
        [
          "rate_limit_error", "rate_limit_exceeded", "too_many_requests", "overloaded_error", "server_is_overloaded",
          "slow_down", "overloaded",
        ]
      ),
      (
        "model_failed", true,
        [
          "server_error", "api_error", "timeout_error", "internal_error", "internal_server_error", "unavailable",
        ]
      ),
      ("model_failed", false, ["invalid_request_error", "something_else"]),
    ]
    for (reason, isRetried, codes) in table {
      for code in codes {
        let fault = fault(nil, ProviderError(codes: [code]))
        #expect(fault.reason == reason && fault.isRetried == isRetried, "\(code)")
      }
    }
  }

  @Test("M24: a request that was refused by its status is not made again, whatever code stands in the answer's body")
  func statusOverCode() {
    let codes = [
      "server_error", "api_error", "timeout_error", "internal_error", "internal_server_error", "unavailable",
    ]
    for code in codes {
      for status in [302, 400, 404, 422] {
        let fault = fault(status, ProviderError(codes: [code], message: "m"))
        #expect(fault.reason == "model_failed" && !fault.isRetried, "\(status) \(code)")
      }
      for status in [nil, 408, 409, 500, 503] {
        #expect(fault(status, ProviderError(codes: [code])).isRetried, "\(status ?? 0) \(code)")
      }
    }
    for code in ["rate_limit_exceeded", "overloaded_error"] {
      let refused = fault(400, ProviderError(codes: [code]))
      #expect(refused.reason == "model_rate_limited" && !refused.isRetried)
      #expect(fault(503, ProviderError(codes: [code])).isRetried)
    }
  }

  @Test("An account without credit is not asked again")
  func quota() {
    let fault = fault(429, ProviderError(codes: ["insufficient_quota"]))
    #expect(fault.reason == "model_rate_limited")
    #expect(!fault.isRetried)
  }

  @Test("L1: an excerpt is one short line without anything that controls a terminal or turns text around")
  func excerpt() {
    #expect(words.excerpt("a\r\nb\u{1B}[31mc\u{2028}d\u{202E}e\u{0}f\u{200B}g") == "a  b [31mc d e f g")
    #expect(words.excerpt(String(repeating: "ä", count: 1_000)).count == 200)
    #expect(words.excerpt("") == "")
  }

  @Test("L2: no excerpt holds a key or a header, not even a part at the cut")
  func secrets() {
    #expect(words.excerpt("key sk-very-secret-key, again sk-very-secret-key.") == "key ***, again ***.")
    for length in 180..<210 {
      let shown = words.excerpt(String(repeating: "x", count: length) + "sk-very-secret-key")
      #expect(!shown.contains("sk-v"))
    }
    // Too short to be a secret, and too common to be taken out of texts.
    #expect(words.excerpt("token") == "token")
  }

  @Test("L2: what the provider says about a key is not repeated at all")
  func unauthorized() {
    let error = ProviderError(codes: ["invalid_api_key"], message: "Incorrect API key provided: sk-very…")
    for status in [401, 403, nil] { #expect(!fault(status, error).failure.error.message.contains("sk-")) }
  }

  @Test("Errors are found in all the forms that providers give them")
  func forms() throws {
    for json in [
      #"{"error":{"type":"t","code":"c","message":"m"}}"#, #"{"type":"t","code":"c","message":"m"}"#,
    ] {
      #expect(ProviderError(try Answers.json(json)) == ProviderError(codes: ["t", "c"], message: "m"))
    }
    #expect(ProviderError(try Answers.json(#"{"error":"m"}"#)) == ProviderError(message: "m"))
    #expect(ProviderError(try Answers.json(#"{"detail":"m"}"#)) == ProviderError(message: "m"))
    #expect(ProviderError(nil) == ProviderError())
  }

  @Test("L2: a secret shows itself in no description, dump or text")
  func secretText() {
    let configuration = Answers.provider(.chat) { $0.headers = [("x", SecretText("sk-very-secret-key"))] }
    var dumped = ""
    dump(configuration, to: &dumped)
    for text in [dumped, "\(configuration)", String(reflecting: configuration), "\(SecretText("sk-very-secret-key"))"] {
      #expect(!text.contains("sk-very"), "\(text)")
    }
  }
}
