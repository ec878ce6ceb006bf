// Made by `make generate` from proto/; edit that instead.

#include "heddle_comments.h"

static const char *const messages[] = {
  "Optional data before the message of a frame; bytes 9 and 10 of the header hold its length.",
  "The first frame from a client.",
  "The server's answer to HELLO.",
  "The limits of one connection. In a client's HELLO, an absent field requests no particular limit.",
  "One machine-readable fact about an error: `field`, `limit`, `now`, `oldest`, `turn`.",
  "The reason that a request was not served.",
  "Allows the server to send more bytes of a subscription.",
  "Checks that the peer is alive.",
  "Answers a PING.",
  "Announces that the sender accepts no more streams.",
  "An image, given by its address.",
  "Content from elsewhere, kept exactly as it was written.",
  "One part of a message.",
  "A message of the user, the developer, the system or the model.",
  "Reasoning of the model.",
  "A tool call by the model.",
  "A tool's answer.",
  "A message in transit from one agent to another. The sender's thread stores it until the receiver's thread has stored\nit; that thread stores it until its model has received it.",
  "A message from one agent to another.",
  "The model's context was replaced by a summary.",
  "A note from the server to the model.",
  "One element of a turn, such as a message, a tool call or a tool output.",
  "Calls a tool that the client provides.",
  "The tool's answer.",
  "Asks the client's user a question.",
  "The user's answer.",
  "A call of the server that waits for an answer, as an event of a subscription that answers calls of its kind.",
  "No answer to a call counts any more: it has one, its deadline has passed, or its turn has ended.",
  "Answers a call of the server.",
  "The answer is durable.",
  "A name and a value.",
  "The complete set of a thread's sticky settings (rules.md S1).",
  "A change of the selected mode. An absent or empty message keeps it (rules.md M1, M2).",
  "A tool that the client provides (rules.md A9).",
  "A change of the client's tools. An absent or empty message keeps them (rules.md S6).",
  "A change of settings. An absent field keeps its current value.",
  "Reads a thread's settings.",
  "The settings for the next turn.",
  "Changes settings for the next turn; starts no model request and adds no item (rules.md S3).",
  "The settings after the change, which is on disk.",
  "Tokens used.",
  "Reason for the failure of a turn.",
  "The complete settings of one turn; the next turn compares its own with this baseline (rules.md M7).",
  "Input from a client to a turn.",
  "One turn.",
  "A turn waiting in the queue.",
  "Starts a turn.",
  "The new turn, or the running turn that got the input; durable.",
  "Adds input to a running turn.",
  "The input is durable and will reach the model: in this turn's next sampling step, or with the next turn.",
  "Interrupts a running turn.",
  "The turn has ended.",
  "Lists the queued turns.",
  "The queued turns, the next one first.",
  "Removes a turn from the queue.",
  "The turn will not run.",
  "Origin of a thread.",
  "The first event of a thread. In a fork, the shared history ends here.",
  "The settings changed.",
  "The version is pinned for the thread's whole life.",
  "The thread has a new name.",
  "The thread was archived.",
  "The thread was unarchived.",
  "A turn was queued.",
  "A queued turn was cancelled and will not run.",
  "A turn started.",
  "Input was accepted for a running turn. An item follows when the model receives it.",
  "An item starts to stream.",
  "Streamed text up to here is durable (durability.md D3).",
  "An item is complete, or ended incomplete.",
  "A request to the model failed and will be retried.",
  "The model reported its token usage.",
  "A turn ended. Each turn has exactly one such event (rules.md U5).",
  "Turns were removed from the model's context and from the turn list; the log keeps them.",
  "The model's context starts again from here.",
  "A message from another agent has arrived. An item with its id follows when the model receives it.",
  "The agent has a message for another agent. The message stays in this thread until the receiver has stored it.",
  "The receiver has stored a message that was queued here.",
  "An agent acted on another agent. For people; never part of a model's input.",
  "The agent was closed: it occupies no slot and accepts no messages.",
  "The agent was reopened.",
  "A line of an imported history that this server does not understand, kept as it was.",
  "An event of one thread. Events are numbered 1, 2, 3 … without gaps, stored forever and never changed.",
  "Status of a thread.",
  "Streamed text; not numbered, not durable, and several deltas may be merged.",
  "The text of an unfinished item so far; deltas continue from its end.",
  "The first message of a subscription.",
  "All stored events have been sent; live events follow.",
  "There is nothing new: all events up to here have been sent.",
  "The thread's status changed.",
  "A thread was created.",
  "A thread was deleted.",
  "A thread was archived or unarchived.",
  "A thread has a new name.",
  "One message of a subscription, or of stream 0.",
  "One agent of a tree.",
  "Reads a tree of agents.",
  "The whole tree: the root first, parents before children.",
  "Interrupts the running turn of an agent.",
  "The agent has no running turn.",
  "Closes an agent and all agents below it.",
  "The agents are closed.",
  "A model that turns can use.",
  "Lists models.",
  "The models, in the order of the configuration.",
  "A feature flag.",
  "Lists features.",
  "The features, sorted by name.",
  "Turns a feature on or off for the whole server; durable.",
  "The feature.",
  "Asks for the server's status.",
  "The state of one model provider.",
  "The server's status.",
  "Starts recording frames of this server to a file in its capture folder (docs/replay.md). Set at least one of thread,\ntenant and share; if several are set, all must match. Only one recording can run at a time.",
  "A recording.",
  "The recording that was started.",
  "Stops the recording.",
  "The recording that was stopped, or the last one if it had already ended by itself.",
  "Asks for the state of the recording.",
  "The running recording, or the last one.",
  "Rolled-back turns: all ordinals from `first` to `last`.",
  "A part of a thread's history that another thread owns.",
  "An item that is streaming.",
  "Input accepted for the running turn that the model has not received yet.",
  "The running turn.",
  "State of a spawned agent that its tree needs.",
  "A turn that ended recently.",
  "Everything that a session needs to continue; its size does not depend on the number of turns. It is the snapshot that\nloading starts from, and never goes over the wire.",
  "One conversation of one agent.",
  "Starts a thread.",
  "The new thread, which is durable.",
  "Loads a thread and subscribes to it.",
  "The loaded thread.",
  "Creates a thread that shares the history of another thread.",
  "The fork, which is durable.",
  "Reads a thread without loading it.",
  "The thread.",
  "Lists threads.",
  "A page of threads.",
  "Lists the threads that are loaded on this node.",
  "A page of ids, in order.",
  "Finds text in items.",
  "A place where the text was found.",
  "A page of hits.",
  "Lists turns.",
  "A page of turns.",
  "An item and its place in the thread.",
  "Lists items in order of completion, without those of rolled-back turns.",
  "A page of items.",
  "Names a thread.",
  "The name is durable.",
  "Archives a thread; for a root, its whole tree.",
  "The thread is archived.",
  "Unarchives a thread; for a root, its whole tree.",
  "The thread is unarchived.",
  "Permanently deletes a thread, its tree and its text.",
  "The thread is deleted.",
  "Removes the last turns from the context and the turn list.",
  "The rollback is durable.",
  "Replaces the context with a summary that the model writes.",
  "The turn that compacts the context.",
  "Adds items to the history without a turn.",
  "The items are durable.",
  "Reads a thread's events as they are stored.",
  "A page of events.",
  "Follows a thread, or the lifecycle of all the tenant's threads (rules.md E1).",
  "Ends a subscription.",
  "The subscription has ended.",
};

static const char *const fields_metadata[] = {
  "W3C trace context, `traceparent`.",
  "W3C trace context, `tracestate`.",
  "The caller's id for this request. The server does not use it yet.",
  "The request's deadline, in milliseconds after its arrival. Absent: no deadline. 0 is refused.",
  "A key made by the client, the same on every retry of one mutation (rules.md E2).",
  "The host name that the caller wants to reach. The server does not use it yet.",
  "A fresh bearer token of the same tenant for this connection. Its expiry and its rights apply from then on.",
};
static const char *const fields_client_hello[] = {
  "Protocol versions that the client supports; empty means version 1.",
  "Name of the client program.",
  "Version of the client program.",
  "Bearer token, either static or a JSON Web Token; required if the server demands one.",
  "Limits that the client asks for; the server's HELLO contains the limits in effect.",
  "Names of features that the client understands, including experimental ones.",
  "Kinds of notification that the client does not want on stream 0: `thread_started`.",
};
static const char *const fields_server_hello[] = {
  "The protocol version in use.",
  "Id of this server.",
  "Id of this connection.",
  "The server's clock, unix milliseconds. For information only: nothing is ordered by it.",
  "First 8 bytes of the SHA-256 of the schema, as hexadecimal digits.",
  "`synced`: an acknowledged mutation is on disk (durability.md D1, D4).",
  "Every limit that the server enforces on this connection.",
  "Version of the server program.",
};
static const char *const fields_connection_limits[] = {
  "Maximum frame payload, bytes.",
  "Requests in flight.",
  "Subscriptions.",
  "Bytes queued for sending.",
  "The server closes a connection that has sent nothing for this long, milliseconds.",
  "A frame must be complete within this time of its first byte, milliseconds.",
  "Maximum depth of nested messages.",
  "Maximum elements of one repeated field.",
  "Maximum unknown fields of one message.",
  "Maximum input text of one turn, bytes.",
  "Maximum page size.",
  "Queued turns of one thread.",
  "Events of one thread.",
  "Requests per second of one tenant; 0: unlimited.",
  "Running turns of one tenant; 0: unlimited.",
  "Errors and cancels of one connection within 30 seconds.",
};
static const char *const fields_error_detail[] = {
  "The name of the fact.",
  "The value as text; ids are written as UUIDs.",
};
static const char *const fields_error[] = {
  "Canonical code.",
  "Stable lower-case name that clients may switch on; see docs/errors.md.",
  "Text for people: the cause and the remedy.",
  "Time to wait before a retry, milliseconds; absent: waiting alone does not help.",
  "Further facts.",
  "Identifies the line in the server's log; present if there is one.",
};
static const char *const fields_credit[] = {
  "Bytes to allow in addition to those allowed so far; at least 1.",
};
static const char *const fields_ping[] = {
  "Returned in the PONG; at most 64 bytes.",
};
static const char *const fields_pong[] = {
  "The bytes of the PING.",
  "The server's status; `SERVING` only while that is true.",
};
static const char *const fields_go_away[] = {
  "The highest stream that was or will be served. Requests on higher streams are safe to retry elsewhere.",
  "Code, reason and remedy.",
};
static const char *const fields_image_part[] = {
  "The address: an `https` or `data` URL.",
  "Level of detail: `low`, `high`, `auto`.",
};
static const char *const fields_opaque_part[] = {
  "Its kind, as its origin names it.",
  "Its JSON text.",
};
static const char *const fields_content_part[] = {
  "Text.",
  "An image.",
  "Text that only the provider can read.",
  "Any other content.",
};
static const char *const fields_message_item[] = {
  "The author.\nUnspecified: not said.",
  "The content of the message.",
  "The part of the model's answer that this message belongs to.\nUnspecified: not said.",
};
static const char *const fields_reasoning_item[] = {
  "Summaries that may be shown to users.",
  "The reasoning text itself, if the provider returns it.",
  "The reasoning in a form that only the provider can read.",
  "The name of that provider in the configuration; the encrypted reasoning is sent to no other provider.",
};
static const char *const fields_tool_call_item[] = {
  "Id of the call; the output refers to it.",
  "The tool's name.",
  "The group that the tool belongs to; may be empty.",
  "The arguments: JSON text, unless the tool takes plain text.",
  "True if the arguments are plain text, not JSON.",
};
static const char *const fields_tool_output_item[] = {
  "Id of the call that it answers.",
  "The answer.",
  "Whether the tool reported success; absent if it did not say.",
  "Reason for a failure, a stable lower-case name: `tool_timeout`, `tool_unknown`, `tool_failed`, `tool_refused`,\n`tool_interrupted`, `not_run`; empty if the tool did not fail.",
};
static const char *const fields_agent_mail[] = {
  "Id of the message; the item made from it has the same id.",
  "Its purpose.\nUnspecified: not said.",
  "The sender.",
  "The sender's path.",
  "The receiver.",
  "The receiver's path.",
  "Content of the message.",
  "Whether it starts a turn if the receiver is idle.",
};
static const char *const fields_agent_message_item[] = {
  "Path of the sender.",
  "Path of the receiver.",
  "Content of the message.",
  "Whether it starts a turn if the receiver is idle.",
  "Its purpose.\nUnspecified: not said.",
};
static const char *const fields_compaction_item[] = {
  "The summary.",
  "The messages that the context begins with from here on, if the origin of the history stored them.",
};
static const char *const fields_marker_item[] = {
  "Its meaning.\nUnspecified: not said.",
  "The role it is sent as: developer for V2, user otherwise.\nUnspecified: not said.",
  "The text.",
};
static const char *const fields_item[] = {
  "Id of the item.",
  "How it ended; absent while it is open.\nUnspecified: still open.",
  "The provider's own id for the item.",
  "A message of a user, a developer or the model.",
  "Reasoning of the model.",
  "A tool call.",
  "A tool's answer.",
  "A message between agents.",
  "A compaction.",
  "A marker.",
  "Any other content, kept as it was.",
};
static const char *const fields_call_tool_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
  "The model's id of this tool call.",
  "The tool's name.",
  "Its arguments, JSON text.",
  "Deadline for the answer, unix milliseconds.",
};
static const char *const fields_call_tool_response[] = {
  "The answer.",
  "Whether the tool succeeded.",
};
static const char *const fields_request_user_input_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
  "The question.",
  "The allowed answers; empty: any text.",
  "SHA-256 of the question and its context. The answer repeats it, so that it cannot count for another question.",
  "Deadline for the answer, unix milliseconds.",
  "Id of the model's tool call that asks the question.",
};
static const char *const fields_request_user_input_response[] = {
  "The answer.",
  "The action hash of the question that was shown.",
};
static const char *const fields_open_call[] = {
  "A tool of the client.",
  "A question to the client's user.",
};
static const char *const fields_call_ended[] = {
  "The thread.",
  "The turn.",
  "The model's id of the tool call.",
};
static const char *const fields_answer_call_request[] = {
  "The thread that the call names.\nRequired.",
  "The turn that the call names.\nRequired.",
  "The id that the call has; must not be empty.",
  "The tool's answer, to `OpenCall.tool`.",
  "The user's answer, to `OpenCall.input`.",
  "UNIMPLEMENTED: this client does not have the tool, and the call waits for other clients. Any other code: the tool\nfailed, and the model receives `message`.",
};
static const char *const fields_answer_call_response[] = {
  "The thread's newest event.",
  "True if this answer counts; false after UNIMPLEMENTED: the call is still open.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_name_value[] = {
  "The name; not empty.",
  "The value.",
};
static const char *const fields_settings[] = {
  "The model that answers turns.",
  "The provider of that model.",
  "Reasoning effort requested from the model.",
  "Kind of reasoning summary requested from the model.",
  "Service tier at the provider.",
  "Replaces the model's base instructions.",
  "Sent to the model as a developer message before anything else.",
  "The selected mode; absent if no client has selected one. Never the effective mode (rules.md M10).",
  "The thread's working folder.",
  "Names and values defined by the client, sorted by name.",
  "Sampling temperature, 0 to 2.",
  "Token budget of one turn, input and output.",
  "Token budget of the thread over its whole life.",
  "Token budget of the whole tree, not counting deleted agents; only the root's setting counts.",
  "Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts.",
  "Maximum number of agents spawned in the tree, counting ended but not deleted ones. Only the root's setting counts.",
  "Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts.",
};
static const char *const fields_mode_selection[] = {
  "Selects this mode.",
  "Unsets the mode; must be true.",
};
static const char *const fields_tool_definition[] = {
  "Its name.",
  "Its purpose, described for the model.",
  "JSON schema of its arguments.",
};
static const char *const fields_tool_selection[] = {
  "Replaces all tools from the next turn on; the tools are checked as at the start of a thread.",
  "Removes all tools from the next turn on. Refused together with `set`.",
};
static const char *const fields_settings_change[] = {
  "The model that answers turns; must be in the catalog.",
  "The provider of that model; must match the model's catalog entry.",
  "Reasoning effort requested from the model.",
  "Kind of reasoning summary requested from the model.",
  "Service tier at the provider.",
  "Replaces the model's base instructions.",
  "Sent to the model as a developer message before anything else.",
  "The selected mode: keep, set or clear.",
  "The thread's working folder.",
  "Metadata to set; other names keep their values.",
  "Sampling temperature, 0 to 2, finite.",
  "Names of metadata to remove.",
  "Settings to unset. Setting and unsetting one in the same change is refused.",
  "Token budget of one turn, input and output.",
  "Token budget of the thread over its whole life.",
  "Token budget of the whole tree; only the root's setting counts.",
  "Maximum depth of the tree of agents; 1: only the root may spawn agents. Only the root's setting counts.",
  "Maximum number of agents spawned in the tree, counting ended ones. Only the root's setting counts.",
  "Whether an agent's final answer starts a turn of its idle parent. Only the root's setting counts.",
};
static const char *const fields_read_settings_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_read_settings_response[] = {
  "The settings.",
  "Number of the last change; each change increases it by one.",
  "The pinned version, `V1` for a legacy thread.",
  "Source of the version.",
  "Names of the client's tools.",
};
static const char *const fields_update_settings_request[] = {
  "The thread.\nRequired.",
  "The change.",
  "Refuse the change with `revision_mismatch` unless this is the current revision (rules.md S4).",
  "The client's tools: keep, set or clear. Part of the same change, with the same revision.",
};
static const char *const fields_update_settings_response[] = {
  "The thread's newest event.",
  "Number of the last change.",
  "False if the change altered nothing; then there is no event.",
  "The settings for the next turn.",
  "Names of the client's tools for the next turn.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_token_usage[] = {
  "Tokens of the model's input.",
  "Part of the input tokens that the provider had cached.",
  "Tokens of the model's output.",
  "Part of the output tokens that were reasoning.",
};
static const char *const fields_turn_error[] = {
  "Stable lower-case name: `model_timeout`, `model_failed`, `model_unauthorized`, `model_rate_limited`,\n`model_output_invalid`, `model_output_too_large`, `model_provider_missing`, `context_window_exceeded`,\n`too_many_steps`, `turn_timeout`, `quota`, `ephemeral_full`, `read_failed`, `data_loss`.",
  "Text for people: the cause and the remedy.",
};
static const char *const fields_turn_context[] = {
  "The settings.",
  "Their revision.",
  "The pinned version; absent in histories older than versions.\nUnspecified: not stored.",
  "The mode that the model was told; absent: not applicable.",
  "JSON schema that the answer of this turn must match; for this turn only.",
  "Number of changes to the client's tools before the turn started.",
};
static const char *const fields_turn_input[] = {
  "Text and images.",
  "The client's own id for this input; returned with the user message.",
};
static const char *const fields_turn[] = {
  "Id of the turn.",
  "Its state.",
  "Its position among all turns of the thread, from 1, counting rolled-back turns.",
  "When it started, unix milliseconds.",
  "When it ended.",
  "Tokens used.",
  "Reason for its failure.",
  "The settings it ran with; absent in histories that did not store them.",
  "Its first event.",
  "Its last event so far.",
  "Cause of its start.\nUnspecified: input.",
};
static const char *const fields_queued_turn[] = {
  "Id of the turn.",
  "Its input.",
  "Settings that come with it.",
  "When it was queued, unix milliseconds.",
  "JSON schema that its answer must match.",
};
static const char *const fields_start_turn_request[] = {
  "The thread.\nRequired.",
  "The input; must not be empty.",
  "Settings for this turn and later turns; for later turns only if the input is added to a running turn.",
  "Handling if another turn is running.\nUnspecified: queue.",
  "JSON schema that the answer must match; for this turn only.",
};
static const char *const fields_start_turn_response[] = {
  "The thread's newest event.",
  "The turn: a new one, or the running one if the input was added to it.",
  "Its state.",
  "Its position in the queue, from 1; 0 if it is not queued.",
  "True if the input was added to a running turn.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_steer_turn_request[] = {
  "The thread.\nRequired.",
  "The turn that the caller believes to be running.\nRequired.",
  "The input; must not be empty.",
};
static const char *const fields_steer_turn_response[] = {
  "The thread's newest event.",
  "The turn.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_interrupt_turn_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
};
static const char *const fields_interrupt_turn_response[] = {
  "The thread's newest event.",
  "True if the turn had already ended.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_list_queue_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_list_queue_response[] = {
  "The turns; at most 16.",
  "The running turn.",
};
static const char *const fields_cancel_queued_turn_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
};
static const char *const fields_cancel_queued_turn_response[] = {
  "The thread's newest event.",
  "True if the turn had already been cancelled. Known only for the last 16 turns of the thread.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_lineage[] = {
  "Reason for its existence.\nUnspecified: not said.",
  "Root of its tree; for a root, its own id.",
  "The agent that spawned it.",
  "The thread that it was forked from.",
  "The last event that it shares with that thread.",
  "0 for a root; for a spawned agent, its parent's depth + 1.",
  "Its path in the tree, such as `/root/a`.",
  "A name for people.",
  "Its role.",
  "The program that wrote an imported history.",
};
static const char *const fields_thread_created[] = {
  "The thread; a fork's own events begin with this one.",
  "Its origin.",
  "Its settings.",
  "Time of creation, unix milliseconds; for an import, the original time.",
  "Its name.",
  "Tools that its client provides.",
  "True if the thread shares or imports a history, even one without a version.",
  "Whether its model may ask the client's user questions.",
  "The context that the model was given in its copied history; absent: the first turn gives the initial context.",
};
static const char *const fields_settings_updated[] = {
  "Number of this change.",
  "The settings from here on.",
  "The client's tools from here on; absent: unchanged (rules.md S6).",
};
static const char *const fields_version_pinned[] = {
  "The version.",
  "Its source.",
};
static const char *const fields_name_changed[] = {
  "The name; empty: none.",
};
static const char *const fields_thread_archived[] = {
  "The root whose archiving included this thread, or the thread itself.",
};
static const char *const fields_thread_unarchived[] = {
  "The root whose unarchiving included this thread, or the thread itself.",
};
static const char *const fields_turn_queued[] = {
  "The turn and its input.",
};
static const char *const fields_queued_turn_cancelled[] = {
  "The turn.",
};
static const char *const fields_turn_started[] = {
  "The turn.",
  "Its position among all turns of the thread.",
  "The settings it runs with; absent in histories that did not store them.",
  "Cause of its start.\nUnspecified: input.",
};
static const char *const fields_input_steered[] = {
  "The input.",
  "Id of the item made from it.",
};
static const char *const fields_item_started[] = {
  "The item, without its text.",
};
static const char *const fields_item_checkpoint[] = {
  "The item.",
  "Offset of this piece in the item's text, bytes.",
  "The piece.",
};
static const char *const fields_item_completed[] = {
  "The item.",
};
static const char *const fields_model_retried[] = {
  "Number of the failed attempt, from 1.",
  "The error.",
  "Time until the next attempt, milliseconds.",
};
static const char *const fields_usage_reported[] = {
  "Tokens of this report.",
  "Tokens of the turn so far.",
  "Tokens of the thread so far.",
};
static const char *const fields_turn_ended[] = {
  "The turn.",
  "Completed, interrupted or failed.",
  "Reason for its failure.",
  "Tokens used.",
};
static const char *const fields_turns_rolled_back[] = {
  "Number of turns.",
  "Ordinal of the first.",
  "Ordinal of the last.",
  "The context of the last remaining turn; absent: the next turn gives the initial context.",
  "The last remaining compaction; 0: none.",
};
static const char *const fields_context_compacted[] = {
  "The summary and the messages that replace the context.",
  "The context that the replacement gives the model; absent: the next turn gives the initial context.",
};
static const char *const fields_mail_received[] = {
  "The message.",
  "The waiting message of the same agent that this one replaces; the model does not receive the replaced one.",
};
static const char *const fields_mail_queued[] = {
  "The message.",
};
static const char *const fields_mail_delivered[] = {
  "The message.",
};
static const char *const fields_agent_activity[] = {
  "The action.",
  "The other agent.",
  "The other agent's path; for V1, its nickname.",
  "The tool call that caused it; empty if a client did.",
};
static const char *const fields_agent_closed[] = {
  "The agent above it whose closing included it; absent: it was closed directly.",
};
static const char *const fields_foreign_record[] = {
  "The record.",
};
static const char *const fields_event[] = {
  "Its number.",
  "Time, unix milliseconds. For information only: the number defines the order (durability.md D10).",
  "The next event belongs to the same mutation.",
  "The turn that it belongs to.",
  "The thread was created.",
  "The settings changed.",
  "The version was pinned.",
  "The thread has a new name.",
  "The thread was archived.",
  "The thread was unarchived.",
  "A turn was queued.",
  "A queued turn was cancelled and will not run.",
  "A turn started.",
  "Input was accepted for a running turn.",
  "An item started.",
  "Streamed text is durable.",
  "An item is complete.",
  "A request to the model is retried.",
  "Tokens used.",
  "A turn ended.",
  "Turns were rolled back.",
  "The context was compacted.",
  "A line kept from an import.",
  "A message from another agent arrived.",
  "A message for another agent was queued.",
  "A message reached its receiver.",
  "An agent acted on another agent.",
  "The agent was closed.",
  "The agent was reopened.",
};
static const char *const fields_thread_status[] = {
  "Its state.",
  "True if a turn is waiting for a client's tool.",
  "True if a turn is waiting for a user's answer.",
};
static const char *const fields_item_delta[] = {
  "The turn.",
  "The item.",
  "Offset of this piece in the item's text, bytes.",
  "The piece.",
};
static const char *const fields_item_snapshot[] = {
  "The turn.",
  "The item.",
  "The text.",
};
static const char *const fields_subscribed[] = {
  "The newest event.",
  "The oldest event that is available.",
  "The epoch of the event numbers.",
};
static const char *const fields_live[] = {
  "The last event sent.",
};
static const char *const fields_progress[] = {
  "The last event sent.",
};
static const char *const fields_status_changed[] = {
  "The thread.",
  "Its current status.",
};
static const char *const fields_thread_started_notice[] = {
  "The thread.",
  "Its origin.",
};
static const char *const fields_thread_deleted_notice[] = {
  "The thread.",
};
static const char *const fields_thread_archive_notice[] = {
  "The thread.",
  "Whether it is archived now.",
};
static const char *const fields_thread_name_notice[] = {
  "The thread.",
  "Its name.",
};
static const char *const fields_subscription_event[] = {
  "The first message.",
  "A numbered event.",
  "Streamed text.",
  "The text so far of an unfinished item.",
  "All stored events have been sent.",
  "There is nothing new.",
  "The status changed.",
  "A thread was created.",
  "A thread was deleted.",
  "A thread was archived or unarchived.",
  "A thread has a new name.",
  "A call waits for an answer (`SubscribeRequest.answers`); not numbered.",
  "A call that was sent on this stream waits no more; not numbered.",
  "The agent that this message is about, on a stream that follows a tree, or that answers calls of the agents below its\nthread. Absent: the thread that the stream follows.",
};
static const char *const fields_agent[] = {
  "The thread.",
  "The agent that spawned it.",
  "Its name in the tree.",
  "A name for people.",
  "Its status.",
  "The multi-agent version that it uses.",
  "The last task it was given.",
  "Tokens used.",
  "0 for the root.",
  "Its role.",
  "Whether it was closed.",
  "The outcome of its last turn; `UNSPECIFIED` if no turn has ended.\nUnspecified: no turn has ended.",
  "Messages that its model has not received yet.",
};
static const char *const fields_list_tree_request[] = {
  "Any thread of the tree.\nRequired.",
};
static const char *const fields_list_tree_response[] = {
  "The agents.",
  "Number of additional agents that may run now (V2) or be open (V1).",
  "Tokens that the whole tree has used.",
};
static const char *const fields_interrupt_agent_request[] = {
  "The agent.\nRequired.",
};
static const char *const fields_interrupt_agent_response[] = {
  "The thread's newest event.",
  "True if there was no running turn to interrupt.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_close_agent_request[] = {
  "The agent.\nRequired.",
};
static const char *const fields_close_agent_response[] = {
  "Number of agents that were closed; 0 if they were already closed.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_catalog_model[] = {
  "Its name, as settings use it.",
  "The provider that serves it.",
  "A name for people.",
  "A description of its uses.",
  "The multi-agent version that it requests; `UNSPECIFIED` if the entry names none, or one unknown to this server.",
  "Reasoning efforts that it supports.",
  "The reasoning effort that it uses if none is requested.",
  "Size of its context window, tokens.",
  "Whether new threads use it if they name no model.",
  "Whether lists omit it unless `include_hidden` is set.",
};
static const char *const fields_list_models_request[] = {
  "Include hidden models.",
};
static const char *const fields_list_models_response[] = {
  "The models.",
};
static const char *const fields_feature[] = {
  "Its name: `multi_agent`, `multi_agent_v2`, `multi_agent_mode`.",
  "Its maturity.",
  "A description of its effect.",
  "Its value if nobody sets it.",
  "Its current value.",
};
static const char *const fields_list_features_response[] = {
  "The features.",
};
static const char *const fields_set_feature_request[] = {
  "The feature.\nRequired.",
  "Its new value; absent: return to the configured value.",
};
static const char *const fields_set_feature_response[] = {
  "The feature.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_provider_status[] = {
  "Its name.",
  "Requests in progress.",
  "Requests waiting for a free slot.",
  "Maximum number of requests at a time; 0: unlimited.",
};
static const char *const fields_server_status_response[] = {
  "The serving status.",
  "Version of the program.",
  "Id of this server.",
  "Time since the start of the process, milliseconds.",
  "Open connections.",
  "Threads loaded in memory.",
  "Running turns.",
  "Events on disk that this process has written.",
  "Groups of writes that this process has synced to disk.",
  "Always `synced`.",
  "Tokens that the caller's tenant has used since the server started.",
  "The model providers, by name.",
};
static const char *const fields_start_capture_request[] = {
  "Record only frames that concern this thread.",
  "Record only connections of this tenant.",
  "Record only this many of every 1,000 connections, selected by connection id: 1 to 1,000.",
  "Maximum file size, bytes. The recording ends at the first frame that would exceed it. Absent: 64 MiB.",
  "Maximum duration, milliseconds, at most 24 hours; absent: 5 minutes.",
};
static const char *const fields_capture_state[] = {
  "Name of its file in the capture folder.",
  "Whether it is still running.",
  "Frames in the file.",
  "Size of the file, bytes.",
  "Frames missing from the file because they arrived faster than they could be written.",
  "Their bytes.",
  "Milliseconds from its start to now, or to its end.",
  "Reason for its end.",
};
static const char *const fields_start_capture_response[] = {
  "Its current state.",
};
static const char *const fields_stop_capture_response[] = {
  "Its final state; the file is complete.",
};
static const char *const fields_read_capture_response[] = {
  "Its current state; absent if nothing has been recorded since the server started.",
};
static const char *const fields_turn_range[] = {
  "The first ordinal.",
  "The last ordinal.",
};
static const char *const fields_history_segment[] = {
  "The thread that owns the events.",
  "The last event of that thread that belongs to this history.",
  "The last turn of that thread that belongs to this history.",
};
static const char *const fields_open_item[] = {
  "The item, without its text.",
  "Text that is durable so far.",
};
static const char *const fields_pending_input[] = {
  "The input.",
  "Id of the item made from it.",
};
static const char *const fields_running_turn[] = {
  "The turn.",
  "Its position among all turns.",
  "Time of its start.",
  "The settings it runs with.",
  "Items that are streaming.",
  "Input that the model has not received yet.",
  "Tokens used so far.",
  "The number of its first event.",
  "Tool calls that have no output yet.",
  "The last message of the model in this turn; kept for agents only.",
  "Cause of its start.\nUnspecified: input.",
  "The client's tools at its start, if they have changed since; absent: the thread's current tools.",
};
static const char *const fields_agent_state[] = {
  "Whether it was closed.",
  "The beginning of the last task it was given.",
  "Outcome of its last turn.\nUnspecified: no turn has ended.",
  "Its answer at the end of its last turn.",
  "Reason for the failure of its last turn.",
  "V1: whether its parent has been notified of its end.",
  "The agent above it whose closing included it; absent: it was closed directly.",
};
static const char *const fields_ended_turn[] = {
  "The turn.",
};
static const char *const fields_thread_record[] = {
  "The thread.",
  "Its origin.",
  "Its name.",
  "The beginning of its first user message.",
  "Whether it is archived.",
  "Time of creation.",
  "Time of its last event.",
  "The settings for the next turn.",
  "Number of the last change.",
  "The pinned version.\nUnspecified: not pinned.",
  "Source of the version.\nUnspecified: not pinned.",
  "Its newest event.",
  "Number of turns so far, counting rolled-back turns.",
  "Ranges of rolled-back turns, in order and not adjacent.",
  "The context of the last turn that still counts; absent: the next turn gives the initial context.",
  "The running turn.",
  "Queued turns.",
  "The event of the last compaction. Context before it is not sent to the model.",
  "Tokens used.",
  "Shared history, oldest first.",
  "Turns that ended recently, the newest last; at most 16.",
  "Whether it has a history in which a version could have been stored (rules.md V4).",
  "Tools that its client provides.",
  "Total size of its events, bytes.",
  "Whether the last turn failed for a reason that will not resolve itself.",
  "The event that pinned the version; 0 if the version came with the record that a fork copied.",
  "Messages that the model has not received yet.",
  "Messages that have not reached their receivers yet.",
  "State of a spawned agent.",
  "Whether its model may ask the client's user questions.",
  "Tokens of the model's input and output in its last step, which show how full the context is.",
  "Outcome of its last turn.\nUnspecified: no turn has ended.",
  "Number of changes to the client's tools since the start.",
};
static const char *const fields_agent_thread[] = {
  "Id of the thread.",
  "Its origin.",
  "Its name; empty: none.",
  "The beginning of its first user message.",
  "Its status.",
  "Whether it is ephemeral: kept in memory and never on disk.",
  "Whether it is archived.",
  "Time of creation, unix milliseconds.",
  "Time of its last event, unix milliseconds.",
  "The settings for its next turn.",
  "Number of the last change of settings.",
  "Its multi-agent version; `UNSPECIFIED` until it is pinned.",
  "Source of the version.",
  "Its newest event.",
  "The epoch of the event numbers.",
  "Number of turns in its turn list.",
  "Tokens used.",
  "The running turn.",
  "Number of queued turns.",
  "Whether its model may ask the client's user questions.",
  "True if it is a spawned agent that was closed.",
  "Names of the tools that its client provides.",
};
static const char *const fields_start_thread_request[] = {
  "Settings that differ from the server's defaults.",
  "Its name.",
  "Make the thread ephemeral: it is lost when the server ends, or when it has not been used for some time\n(durability.md).",
  "Subscribe this stream to the new thread; absent: true.",
  "Tools that this client provides (rules.md A9).",
  "Let the model ask the client's user questions; it gets the tool `request_user_input`.",
  "Also follow the agents below it on this stream (rules.md A12).",
};
static const char *const fields_start_thread_response[] = {
  "The thread's newest event.",
  "The thread.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_resume_thread_request[] = {
  "The thread.\nRequired.",
  "Subscribe this stream to events from now on; absent: true.",
  "Also follow the agents below it on this stream (rules.md A12).",
  "The client's tools: keep, set or clear. This is a change of settings, with a revision and an event.",
};
static const char *const fields_resume_thread_response[] = {
  "The thread's newest event.",
  "The thread.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_fork_thread_request[] = {
  "The source.\nRequired.",
  "Share the history up to the end of this turn; absent: up to the last durable event.",
  "Settings that differ from the source's.",
  "Its name.",
  "Subscribe this stream to the fork; absent: true.",
  "Also follow the agents below it on this stream (rules.md A12).",
  "The fork's tools: those of the source, these, or none.",
};
static const char *const fields_fork_thread_response[] = {
  "The fork's newest event.",
  "The fork.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_read_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_read_thread_response[] = {
  "The thread.",
};
static const char *const fields_list_threads_request[] = {
  "Cursor from the previous page; absent: the first page.",
  "Threads on a page, 1 to 200; absent: 25.",
  "Order of creation.\nUnspecified: newest first.",
  "True: only archived threads. False or absent: only threads that are not archived.",
  "Only threads that exist for this reason.",
  "Only threads spawned by this thread.",
  "Only threads forked from this thread.",
  "Only threads of this provider.",
  "Only threads whose name or preview contains this text, ignoring the case of ASCII letters.",
  "Only threads of this working folder.",
  "Only threads created at or after this time, unix milliseconds.",
  "Only threads created before this time, unix milliseconds.",
};
static const char *const fields_list_threads_response[] = {
  "The threads.",
  "Cursor of the next page; empty: this is the last page.",
};
static const char *const fields_list_loaded_threads_request[] = {
  "Cursor from the previous page.",
  "Ids on a page, 1 to 200; absent: 200.",
};
static const char *const fields_list_loaded_threads_response[] = {
  "The threads.",
  "Cursor of the next page; empty: this is the last page.",
};
static const char *const fields_search_threads_request[] = {
  "The text to find.\nRequired.",
  "Cursor from the previous page.",
  "Hits on a page, 1 to 200; absent: 25.",
};
static const char *const fields_search_hit[] = {
  "The thread.",
  "The event that holds it.",
  "The text around it.",
};
static const char *const fields_search_threads_response[] = {
  "The hits.",
  "Cursor of the next page; empty: this is the last page.",
};
static const char *const fields_list_turns_request[] = {
  "The thread.\nRequired.",
  "Cursor from the previous page.",
  "Turns on a page, 1 to 200; absent: 25.",
  "Order of the list.\nUnspecified: newest first.",
};
static const char *const fields_list_turns_response[] = {
  "The turns.",
  "Cursor of the next page; empty: this is the last page.",
};
static const char *const fields_listed_item[] = {
  "The item.",
  "The turn that it belongs to; absent for items between turns.",
  "The event that completed it.",
  "Time, unix milliseconds.",
};
static const char *const fields_list_items_request[] = {
  "The thread.\nRequired.",
  "Only items of this turn.",
  "Cursor from the previous page.",
  "Items on a page, 1 to 200; absent: 25.",
  "Order of the list; absent: oldest first.\nUnspecified: oldest first.",
};
static const char *const fields_list_items_response[] = {
  "The items.",
  "Cursor of the next page; empty: this is the last page.",
};
static const char *const fields_set_thread_name_request[] = {
  "The thread.\nRequired.",
  "The name, at most 1,024 bytes; empty: none.",
};
static const char *const fields_set_thread_name_response[] = {
  "The thread's newest event.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_archive_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_archive_thread_response[] = {
  "The thread's newest event.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_unarchive_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_unarchive_thread_response[] = {
  "The thread's newest event.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_delete_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_delete_thread_response[] = {
  "Number of deleted threads.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_rollback_thread_request[] = {
  "The thread; must be idle.\nRequired.",
  "Number of turns, at least 1; a number above the thread's turns means all of them.",
};
static const char *const fields_rollback_thread_response[] = {
  "The thread's newest event.",
  "Number of turns that were rolled back.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_compact_thread_request[] = {
  "The thread; must be idle.\nRequired.",
};
static const char *const fields_compact_thread_response[] = {
  "The thread's newest event.",
  "The turn.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_inject_items_request[] = {
  "The thread; must be idle.\nRequired.",
  "The items.",
};
static const char *const fields_inject_items_response[] = {
  "The thread's newest event.",
  "True if this answer repeats an earlier answer to the same idempotency key.",
};
static const char *const fields_export_thread_request[] = {
  "The thread.\nRequired.",
  "Return events after this one.",
  "Events on a page, 1 to 200; absent: 200.",
};
static const char *const fields_export_thread_response[] = {
  "The events.",
  "True if there are more events.",
};
static const char *const fields_subscribe_request[] = {
  "The thread; absent: lifecycle notices of all threads.",
  "The epoch that `after` belongs to; absent: the current epoch.",
  "Send events after this one; absent: only new events.",
  "Kinds of message to send; empty: all kinds.",
  "Bytes that the server may send before CREDIT allows more; absent: no limit except the connection's.",
  "Also follow the agents below it on this stream, each from its current position; `after` and `epoch` apply only to\n`thread` (rules.md A12).",
  "The calls that this subscriber answers with CallService/Answer: calls of these kinds that are open come as events\n`call`, again on each new subscription (rules.md A14). Empty: none.",
};
static const char *const fields_unsubscribe_request[] = {
  "The thread; absent: the lifecycle notices.",
};
static const char *const fields_unsubscribe_response[] = {
  "True if there was a subscription.",
};
static const char *const *const fields[] = {
  fields_metadata,
  fields_client_hello,
  fields_server_hello,
  fields_connection_limits,
  fields_error_detail,
  fields_error,
  fields_credit,
  fields_ping,
  fields_pong,
  fields_go_away,
  fields_image_part,
  fields_opaque_part,
  fields_content_part,
  fields_message_item,
  fields_reasoning_item,
  fields_tool_call_item,
  fields_tool_output_item,
  fields_agent_mail,
  fields_agent_message_item,
  fields_compaction_item,
  fields_marker_item,
  fields_item,
  fields_call_tool_request,
  fields_call_tool_response,
  fields_request_user_input_request,
  fields_request_user_input_response,
  fields_open_call,
  fields_call_ended,
  fields_answer_call_request,
  fields_answer_call_response,
  fields_name_value,
  fields_settings,
  fields_mode_selection,
  fields_tool_definition,
  fields_tool_selection,
  fields_settings_change,
  fields_read_settings_request,
  fields_read_settings_response,
  fields_update_settings_request,
  fields_update_settings_response,
  fields_token_usage,
  fields_turn_error,
  fields_turn_context,
  fields_turn_input,
  fields_turn,
  fields_queued_turn,
  fields_start_turn_request,
  fields_start_turn_response,
  fields_steer_turn_request,
  fields_steer_turn_response,
  fields_interrupt_turn_request,
  fields_interrupt_turn_response,
  fields_list_queue_request,
  fields_list_queue_response,
  fields_cancel_queued_turn_request,
  fields_cancel_queued_turn_response,
  fields_lineage,
  fields_thread_created,
  fields_settings_updated,
  fields_version_pinned,
  fields_name_changed,
  fields_thread_archived,
  fields_thread_unarchived,
  fields_turn_queued,
  fields_queued_turn_cancelled,
  fields_turn_started,
  fields_input_steered,
  fields_item_started,
  fields_item_checkpoint,
  fields_item_completed,
  fields_model_retried,
  fields_usage_reported,
  fields_turn_ended,
  fields_turns_rolled_back,
  fields_context_compacted,
  fields_mail_received,
  fields_mail_queued,
  fields_mail_delivered,
  fields_agent_activity,
  fields_agent_closed,
  0,
  fields_foreign_record,
  fields_event,
  fields_thread_status,
  fields_item_delta,
  fields_item_snapshot,
  fields_subscribed,
  fields_live,
  fields_progress,
  fields_status_changed,
  fields_thread_started_notice,
  fields_thread_deleted_notice,
  fields_thread_archive_notice,
  fields_thread_name_notice,
  fields_subscription_event,
  fields_agent,
  fields_list_tree_request,
  fields_list_tree_response,
  fields_interrupt_agent_request,
  fields_interrupt_agent_response,
  fields_close_agent_request,
  fields_close_agent_response,
  fields_catalog_model,
  fields_list_models_request,
  fields_list_models_response,
  fields_feature,
  0,
  fields_list_features_response,
  fields_set_feature_request,
  fields_set_feature_response,
  0,
  fields_provider_status,
  fields_server_status_response,
  fields_start_capture_request,
  fields_capture_state,
  fields_start_capture_response,
  0,
  fields_stop_capture_response,
  0,
  fields_read_capture_response,
  fields_turn_range,
  fields_history_segment,
  fields_open_item,
  fields_pending_input,
  fields_running_turn,
  fields_agent_state,
  fields_ended_turn,
  fields_thread_record,
  fields_agent_thread,
  fields_start_thread_request,
  fields_start_thread_response,
  fields_resume_thread_request,
  fields_resume_thread_response,
  fields_fork_thread_request,
  fields_fork_thread_response,
  fields_read_thread_request,
  fields_read_thread_response,
  fields_list_threads_request,
  fields_list_threads_response,
  fields_list_loaded_threads_request,
  fields_list_loaded_threads_response,
  fields_search_threads_request,
  fields_search_hit,
  fields_search_threads_response,
  fields_list_turns_request,
  fields_list_turns_response,
  fields_listed_item,
  fields_list_items_request,
  fields_list_items_response,
  fields_set_thread_name_request,
  fields_set_thread_name_response,
  fields_archive_thread_request,
  fields_archive_thread_response,
  fields_unarchive_thread_request,
  fields_unarchive_thread_response,
  fields_delete_thread_request,
  fields_delete_thread_response,
  fields_rollback_thread_request,
  fields_rollback_thread_response,
  fields_compact_thread_request,
  fields_compact_thread_response,
  fields_inject_items_request,
  fields_inject_items_response,
  fields_export_thread_request,
  fields_export_thread_response,
  fields_subscribe_request,
  fields_unsubscribe_request,
  fields_unsubscribe_response,
};

static const char *const values_id_kind[] = {
  "Never used on a field.",
  "An agent thread.",
  "A turn.",
  "An item.",
  "One connection to a server.",
  "One server node.",
  "An idempotency key, made by a client so that a retry returns the first result.",
};
static const char *const values_frame_kind[] = {
  "Never sent.",
  "Opens a stream. Client and server may both send it.",
  "Answers a request. With the end flag it ends the stream; without the flag, events follow.",
  "One item of a stream: a `SubscriptionEvent`.",
  "Ends a stream with an `Error`.",
  "Asks the peer to end a stream; no payload.",
  "Allows the server to send more bytes of a stream: a `Credit`.",
  "Checks that the peer is alive: a `Ping`. Allowed before HELLO.",
  "Answers a PING: a `Pong`.",
  "Announces that the sender accepts no more streams: a `GoAway`.",
  "The first frame from each side: `ClientHello` and `ServerHello`.",
};
static const char *const values_method[] = {
  "Frames that belong to no method.",
  "ThreadService.Start",
  "ThreadService.Resume",
  "ThreadService.Fork",
  "ThreadService.Read",
  "ThreadService.List",
  "ThreadService.ListLoaded",
  "ThreadService.Search",
  "ThreadService.ListTurns",
  "ThreadService.ListItems",
  "ThreadService.SetName",
  "ThreadService.Archive",
  "ThreadService.Unarchive",
  "ThreadService.Delete",
  "ThreadService.Rollback",
  "ThreadService.Compact",
  "ThreadService.InjectItems",
  "ThreadService.Export",
  "ThreadService.Subscribe",
  "ThreadService.Unsubscribe",
  "TurnService.Start",
  "TurnService.Steer",
  "TurnService.Interrupt",
  "TurnService.ListQueue",
  "TurnService.CancelQueued",
  "SettingsService.Read",
  "SettingsService.Update",
  "AgentService.ListTree",
  "AgentService.Interrupt",
  "AgentService.Close",
  "CatalogService.ListModels",
  "CatalogService.ListFeatures",
  "CatalogService.SetFeature",
  "ServerService.Status",
  "ServerService.StartCapture",
  "ServerService.StopCapture",
  "ServerService.ReadCapture",
  "ClientService.CallTool",
  "ClientService.RequestUserInput",
  "CallService.Answer",
};
static const char *const values_code[] = {
  "No error; never sent.",
  "The caller cancelled the request.",
  "The server does not know what went wrong.",
  "The request is invalid in any state.",
  "The deadline passed.",
  "The requested object does not exist for this tenant.",
  "The object already exists.",
  "The caller does not have permission.",
  "A limit has been reached.",
  "The current state does not allow the request.",
  "Another caller was first.",
  "A position is outside the existing range.",
  "The server does not implement this method.",
  "The server broke one of its own rules.",
  "Retry later or on another server.",
  "Stored data is damaged.",
  "The caller is not authenticated.",
};
static const char *const values_serving_status[] = {
  "Not specified.",
  "Requests are served and mutations reach the disk.",
  "Reads are served; mutations are refused (durability.md D9).",
  "The server is shutting down.",
};
static const char *const values_role[] = {
  "Not specified.",
  "The user.",
  "The developer: hints, modes, instructions.",
  "The system.",
  "The model.",
};
static const char *const values_phase[] = {
  "Not specified.",
  "Commentary on the way to the answer.",
  "The final answer.",
};
static const char *const values_item_status[] = {
  "Still open.",
  "Complete.",
  "Cut off by the end of its turn; the text ends at the last checkpoint.",
  "Failed.",
};
static const char *const values_agent_message_kind[] = {
  "Not specified.",
  "A task.",
  "A message during a task.",
  "An agent's answer at the end of a turn.",
  "V1: a notice in the user's name that an agent has ended.",
};
static const char *const values_marker_kind[] = {
  "Not specified.",
  "The previous turn was interrupted (rules.md U3, U4).",
};
static const char *const values_multi_agent_version[] = {
  "Not pinned yet.",
  "The first version: spawn, send, wait, close, resume.",
  "The second version: named agents, mail, a limit on concurrently running turns.",
  "No other agents.",
};
static const char *const values_version_source[] = {
  "The version is not pinned yet.",
  "Found in the thread's own history.",
  "Inherited from a parent, or from the source of a fork.",
  "The thread has a history in which no version was ever stored.",
  "The catalog entry of the first turn's model.",
  "The feature flags.",
};
static const char *const values_multi_agent_mode[] = {
  "Unset.",
  "Delegate only if the user asks for it.",
  "Delegate whenever it helps.",
};
static const char *const values_settings_field[] = {
  "Refused.",
  "`reasoning_effort`",
  "`reasoning_summary`",
  "`service_tier`",
  "`base_instructions`",
  "`developer_instructions`",
  "`working_folder`",
  "`temperature`",
  "`turn_tokens`",
  "`thread_tokens`",
  "`tree_tokens`",
  "`agent_depth`",
  "`agent_total`",
  "`wake_parent`",
};
static const char *const values_turn_status[] = {
  "Not specified.",
  "Waiting for an earlier turn.",
  "Running.",
  "Completed normally.",
  "Interrupted by a client, by a stop of the server, or by a fork in the middle of the turn.",
  "Failed with an error.",
};
static const char *const values_turn_cause[] = {
  "Input from a client, or from an agent that sends input like a client (V1).",
  "A message from another agent.",
  "A client's request to compact the context.",
};
static const char *const values_when_busy[] = {
  "The default: queue the turn.",
  "Queue the turn.",
  "Refuse the turn with `turn_in_progress`.",
  "Add its input to the running turn.",
};
static const char *const values_thread_source[] = {
  "Not specified.",
  "A client started it.",
  "A client forked it.",
  "An agent spawned it.",
  "It was imported.",
};
static const char *const values_agent_activity_kind[] = {
  "Not specified.",
  "Spawned the agent.",
  "Sent the agent a message or a task.",
  "Interrupted the agent's turn.",
  "Closed the agent.",
  "Reopened the agent.",
};
static const char *const values_thread_state[] = {
  "Not specified.",
  "Not loaded; only on disk.",
  "Idle: no turn is running.",
  "Active: a turn is running.",
  "Its last turn failed for a reason that will not resolve itself.",
};
static const char *const values_feature_stage[] = {
  "Not specified.",
  "Under development.",
  "Complete, but may change.",
  "Stable.",
  "Deprecated; it will be removed.",
};
static const char *const values_capture_end[] = {
  "The recording is still running.",
  "A request stopped it.",
  "The file has reached its maximum size.",
  "The maximum duration has passed.",
  "The disk refused a write or has little space left.",
  "The server shut down.",
};
static const char *const values_list_order[] = {
  "Newest first.",
  "Newest first.",
  "Oldest first.",
};
static const char *const values_subscription_kind[] = {
  "Refused.",
  "Numbered events.",
  "Streamed text.",
  "Changes of status.",
};
static const char *const values_call_kind[] = {
  "Not specified.",
  "A tool that a client provides: ClientService.CallTool.",
  "A question to a client's user: ClientService.RequestUserInput.",
};
static const char *const *const values[] = {
  values_id_kind,
  values_frame_kind,
  values_method,
  values_code,
  values_serving_status,
  values_role,
  values_phase,
  values_item_status,
  values_agent_message_kind,
  values_marker_kind,
  values_multi_agent_version,
  values_version_source,
  values_multi_agent_mode,
  values_settings_field,
  values_turn_status,
  values_turn_cause,
  values_when_busy,
  values_thread_source,
  values_agent_activity_kind,
  values_thread_state,
  values_feature_stage,
  values_capture_end,
  values_list_order,
  values_subscription_kind,
  values_call_kind,
};

const char *heddle_message_comment(uint16_t message) { return messages[message]; }
const char *heddle_field_comment(uint16_t message, uint16_t field) { return fields[message][field]; }
const char *heddle_enum_value_comment(uint16_t enumeration, uint16_t value) {
  return values[enumeration][value];
}
const char *heddle_method_comment(int32_t number) {
  switch (number) {
  case 101: return "Starts a thread. On a frame connection, its events follow on the same stream.";
  case 102: return "Loads a thread. On a frame connection, its events follow on the same stream.";
  case 103: return "Creates a thread that shares another thread's history. On a frame connection, its events follow on the same stream.";
  case 104: return "Reads a thread without loading it.";
  case 105: return "Lists threads, page by page.";
  case 106: return "Lists the threads that are loaded on this node, page by page.";
  case 107: return "Finds text in items.";
  case 108: return "Lists the turns of a thread, page by page.";
  case 109: return "Lists the items of a thread, page by page.";
  case 110: return "Names a thread.";
  case 111: return "Archives a thread and its tree.";
  case 112: return "Unarchives a thread and its tree.";
  case 113: return "Deletes a thread and its tree.";
  case 114: return "Removes the last turns from the context and the turn list.";
  case 115: return "Replaces the context with a summary.";
  case 116: return "Adds items to the history without a turn.";
  case 117: return "Reads a thread's stored events.";
  case 118: return "Follows a thread.";
  case 119: return "Ends a subscription.";
  case 201: return "Starts a turn, or queues it.";
  case 202: return "Adds input to a running turn.";
  case 203: return "Interrupts a running turn.";
  case 204: return "Lists the queued turns.";
  case 205: return "Removes a turn from the queue.";
  case 301: return "Returns the settings for the next turn.";
  case 302: return "Changes settings for the next turn; allowed while a turn is running.";
  case 401: return "Returns the whole tree.";
  case 402: return "Interrupts the running turn of an agent.";
  case 403: return "Closes an agent and all agents below it.";
  case 501: return "Lists the models.";
  case 502: return "Lists the features.";
  case 503: return "Turns a feature on or off.";
  case 601: return "Returns the server's status.";
  case 602: return "Starts recording frames.";
  case 603: return "Stops the recording.";
  case 604: return "Returns the state of the recording.";
  case 701: return "Calls a tool that the client provides.";
  case 702: return "Asks the client's user a question.";
  case 801: return "Answers a call of the server. Any connection of the tenant may answer; the first answer counts.";
  default: return "";
  }
}
