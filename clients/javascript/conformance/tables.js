// Made by `make generate` from proto/; edit that instead.

/** @type {Record<string, Record<string, number>>} Values of enums by name, without the enum's own prefix. */
export const enums = {
}

/** @type {Record<string, import('../src/codec.js').Field[]>} */
export const messages = {
  "Step": [[1, "id", 1, 0], [2, "begin", 8, 0, "Begin", "what"], [3, "connect", 8, 0, "Connect", "what"], [4, "call", 8, 0, "Call", "what"], [5, "await", 8, 0, "Await", "what"], [6, "cancel", 8, 0, "Cancel", "what"], [7, "subscribe", 8, 0, "Subscribe", "what"], [8, "next", 8, 0, "Next", "what"], [9, "unsubscribe", 8, 0, "Unsubscribe", "what"], [10, "turn", 8, 0, "Turn", "what"], [11, "pages", 8, 0, "Pages", "what"], [12, "tool", 8, 0, "Tool", "what"], [13, "toolRuns", 8, 0, "ToolRuns", "what"], [14, "hooks", 8, 0, "Hooks", "what"], [15, "close", 8, 0, "Close", "what"], [16, "vector", 8, 0, "Vector", "what"]],
  "Begin": [[1, "name", 6, 0]],
  "Connect": [[1, "url", 6, 0], [2, "token", 6, 0], [3, "tokens", 6, 1], [4, "tokenFails", 2, 0], [5, "timeoutMs", 1, 0], [6, "retries", 1, 2], [7, "backoffMs", 1, 0], [8, "longestBackoffMs", 1, 0], [9, "connectTimeoutMs", 1, 0], [10, "credit", 1, 0], [11, "pingAfterMs", 1, 0], [12, "lostAfterMs", 1, 0], [13, "closeTimeoutMs", 1, 0]],
  "Call": [[1, "method", 6, 0], [2, "request", 7, 0], [3, "key", 7, 0], [4, "timeoutMs", 1, 0], [5, "background", 2, 0]],
  "Await": [[1, "step", 1, 0]],
  "Cancel": [[1, "step", 1, 0]],
  "Subscribe": [[1, "name", 6, 0], [2, "thread", 7, 2], [3, "after", 1, 2], [4, "epoch", 9, 2], [5, "tree", 2, 0], [6, "kinds", 0, 1], [7, "credit", 1, 0]],
  "Next": [[1, "name", 6, 0], [2, "timeoutMs", 1, 0]],
  "Unsubscribe": [[1, "name", 6, 0]],
  "Turn": [[1, "thread", 7, 0], [2, "text", 6, 0], [3, "background", 2, 0]],
  "Pages": [[1, "method", 6, 0], [2, "request", 7, 0], [3, "most", 1, 0]],
  "Tool": [[1, "name", 6, 0], [2, "answer", 6, 0, "", "does"], [3, "fail", 6, 0, "", "does"], [4, "waitMs", 1, 0, "", "does"], [5, "large", 1, 0, "", "does"], [6, "question", 2, 0]],
  "ToolRuns": [],
  "Hooks": [],
  "Close": [],
  "Vector": [[1, "message", 6, 0], [2, "bytes", 7, 0]],
  "Report": [[1, "id", 1, 0], [2, "done", 8, 0, "Done", "what"], [3, "answer", 8, 0, "Answer", "what"], [4, "failed", 8, 0, "Failed", "what"], [5, "event", 8, 0, "Event", "what"], [6, "ended", 8, 0, "Ended", "what"], [7, "nothing", 8, 0, "Nothing", "what"], [8, "turn", 8, 0, "TurnEnd", "what"], [9, "items", 8, 0, "Items", "what"], [10, "counts", 8, 0, "Counts", "what"], [11, "heard", 8, 0, "Heard", "what"], [12, "leftOut", 8, 0, "LeftOut", "what"]],
  "Done": [],
  "Answer": [[1, "message", 7, 0]],
  "Failed": [[1, "kind", 6, 0], [2, "code", 6, 0], [3, "reason", 6, 0], [4, "message", 6, 0], [5, "details", 8, 1, "Failed.DetailsEntry"], [6, "debugId", 6, 0], [7, "attempts", 1, 0], [8, "mayHaveHappened", 2, 0]],
  "Failed.DetailsEntry": [[1, "key", 6, 0], [2, "value", 6, 0]],
  "Event": [[1, "message", 7, 0]],
  "Ended": [],
  "Nothing": [],
  "TurnEnd": [[1, "text", 6, 0], [2, "turn", 7, 0], [3, "outputTokens", 1, 0], [4, "pieces", 1, 0]],
  "Items": [[1, "items", 7, 1]],
  "Counts": [[1, "begun", 8, 1, "Counts.BegunEntry"], [2, "cancelled", 8, 1, "Counts.CancelledEntry"]],
  "Counts.BegunEntry": [[1, "key", 6, 0], [2, "value", 1, 0]],
  "Counts.CancelledEntry": [[1, "key", 6, 0], [2, "value", 1, 0]],
  "Heard": [[1, "hooks", 6, 1], [2, "text", 6, 0]],
  "LeftOut": [[1, "why", 6, 0]],
}
