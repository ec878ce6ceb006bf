// One record of a rollout and what it means. A record is a line, `{"timestamp": RFC 3339, "type": T, "payload": {…}}`:
//
//   type                               payload.type                         becomes
//   session_meta                       –                                    ThreadCreated (the first), kept (the others)
//   turn_context                       –                                    the context in TurnStarted, SettingsUpdated
//   response_item                      any                                  ItemCompleted
//   inter_agent_communication          –                                    ItemCompleted (only 0.141 wrote it)
//   inter_agent_communication_metadata –                                    the trigger of the next agent message; kept
//   world_state                        –                                    the mode in force (0.163); kept
//   compacted                          –                                    ContextCompacted
//   event_msg                          task_started, turn_started           TurnStarted
//                                      task_complete, turn_complete         TurnEnded
//                                      turn_aborted                         TurnEnded
//                                      thread_rolled_back                   TurnsRolledBack
//                                      thread_settings_applied              SettingsUpdated
//                                      thread_name_updated                  NameChanged
//                                      token_count                          UsageReported
//                                      error                                the error of a turn that ends on it; kept
//                                      user_message, agent_message, …       nothing: items say the same
//                                      others that Codex has                kept
//   anything else                      anything else                        kept, and counted as foreign
//
// "Kept" is a ForeignRecord event with the record's own text. In 2025, before the envelope existed, the first line was the
// session meta itself and the following ones bare response items; both are read.

import HeddleJSON

struct RolloutRecord {
  /// Line in the file, from 1.
  let line: Int
  /// When it was written, unix milliseconds.
  let at: Int64
  let kind: RecordKind
  /// `event_msg/token_count`
  let name: String
  let payload: JSONNode
  /// The bytes of the whole record in the file; its beginning names it within one file.
  let range: Range<Int>
}

enum RecordKind {
  case sessionMeta
  case turnContext
  case item
  case agentMail
  case agentMailTrigger
  case worldState
  case compacted
  case turnStarted
  case turnCompleted
  case turnInterrupted
  case turnsRolledBack
  case turnError
  case settingsApplied
  case nameChanged
  case usage
  /// Repeats what an item says, and shows that it was the user who said it.
  case userSpoke
  /// Repeats what an item says.
  case duplicate
  /// Known, without a meaning here.
  case kept
  /// Not known.
  case foreign

  init(type: String, payload: JSONNode) {
    switch type {
    case "session_meta": self = .sessionMeta
    case "turn_context": self = .turnContext
    case "response_item": self = .item
    case "inter_agent_communication": self = .agentMail
    case "inter_agent_communication_metadata": self = .agentMailTrigger
    case "world_state": self = .worldState
    case "compacted": self = .compacted
    case "token_usage_record": self = .kept
    case "event_msg": self.init(event: payload.text("type") ?? "", payload)
    default: self = .foreign
    }
  }

  private init(event: String, _ payload: JSONNode) {
    switch event {
    case "task_started", "turn_started": self = .turnStarted
    case "task_complete", "turn_complete": self = .turnCompleted
    case "turn_aborted": self = .turnInterrupted
    case "thread_rolled_back": self = .turnsRolledBack
    case "thread_settings_applied": self = .settingsApplied
    case "thread_name_updated": self = .nameChanged
    case "token_count": self = .usage
    case "error": self = .turnError
    case "user_message": self = .userSpoke
    case "item_completed":
      switch payload["item"]?.text("type") {
      case "UserMessage": self = .userSpoke
      case "AgentMessage", "Reasoning": self = .duplicate
      default: self = .kept
      }
    default:
      self =
        Self.duplicateEvents.contains(event) ? .duplicate : Self.keptEvents.contains(event) ? .kept : .foreign
    }
  }

  private static let duplicateEvents: Set<String> = [
    "agent_message", "agent_message_delta", "agent_message_content_delta", "agent_reasoning", "agent_reasoning_delta",
    "agent_reasoning_raw_content", "agent_reasoning_raw_content_delta", "agent_reasoning_section_break",
    "reasoning_content_delta", "reasoning_raw_content_delta", "plan_delta", "item_started", "raw_response_item",
  ]

  private static let keptEvents: Set<String> = [
    "apply_patch_approval_request", "background_event", "context_compacted", "deprecation_notice",
    "dynamic_tool_call_request", "dynamic_tool_call_response", "elicitation_request", "entered_review_mode",
    "exec_approval_request", "exec_command_begin", "exec_command_end", "exec_command_output_delta",
    "exited_review_mode", "guardian_assessment", "hook_completed", "hook_started", "image_generation_begin",
    "image_generation_end", "mcp_startup_complete", "mcp_startup_update", "mcp_tool_call_begin", "mcp_tool_call_end",
    "model_reroute", "patch_apply_begin", "patch_apply_end", "patch_apply_updated", "plan_update",
    "request_permissions", "request_user_input", "session_configured", "shutdown_complete", "stream_error",
    "sub_agent_activity", "terminal_interaction", "thread_goal_updated", "turn_diff", "undo_completed", "undo_started",
    "view_image_tool_call", "warning", "web_search_begin", "web_search_end",
  ]
}

extension RolloutRecord {
  /// The turn that the record names.
  var turnText: String? {
    payload.text("turn_id") ?? payload["turn_attribution"]?.text("turn_id")
  }

  /// A message in the role of the user that is not one of the texts Codex puts there itself.
  var isUserMessage: Bool {
    guard kind == .item, payload.text("type") == "message", payload.text("role") == "user" else { return false }
    let text = payload["content"]?.string ?? payload["content"]?.elements?.first?.text("text") ?? ""
    return !Self.contextBeginnings.contains { text.hasPrefix($0) }
  }

  private static let contextBeginnings = [
    "<environment_context>", "<user_instructions>", "<turn_aborted>", "<subagent_notification>", "<skill>",
    "<user_shell_command>", "<permissions instructions>", "# AGENTS.md instructions",
  ]

  /// Shows that its turn has input of a user or another agent: only such turns are counted by a rollback.
  var isInput: Bool {
    switch kind {
    case .userSpoke, .agentMail: true
    case .item: isUserMessage || payload.text("type") == "agent_message"
    default: false
    }
  }
}
