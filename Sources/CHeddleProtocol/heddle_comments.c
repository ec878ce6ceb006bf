// Made by `make generate` from proto/; edit that instead.

#include "heddle_comments.h"

static const char *const messages[] = {
  "An image, by address.",
  "Something kept exactly as it was written elsewhere.",
  "One part of a message.",
  "What somebody said.",
  "What the model thought.",
  "A tool that the model called.",
  "What a tool answered.",
  "A message on its way from one agent to another. Stored with its sender until it is stored with its receiver, and\nthere until the model has been given it.",
  "A message from one agent to another.",
  "The model's context was replaced by a summary.",
  "A note of the server to the model.",
  "One thing in a turn.",
  "A name and a value.",
  "The sticky settings of a thread (rules.md S1), complete.",
  "What to do with the selected mode. No message, or no choice in it: keep it (rules.md M1, M2).",
  "A tool that the client brings (rules.md A9).",
  "A change of the tools that the client brings. No message, or an empty one: keep them (rules.md S6).",
  "A change of settings: a field that is absent stays as it is.",
  "Reads a thread's settings.",
  "The settings for the next turn.",
  "Changes settings for the next turn; starts no model request and adds no item (rules.md S3).",
  "The settings after the change, which has reached the disk.",
  "Tokens used.",
  "Why a turn failed.",
  "The complete settings that one turn ran with; the baseline that the next turn compares with (rules.md M7).",
  "What a client gives a turn.",
  "One turn.",
  "A turn that waits.",
  "Starts a turn.",
  "The turn, which is durable.",
  "Adds input to a running turn.",
  "The input is durable and will reach the model: in this turn's next sampling step, or with the next turn.",
  "Ends a running turn.",
  "The turn has ended.",
  "Lists the turns that wait.",
  "The turns that wait, the next one first.",
  "Takes a waiting turn out of the queue.",
  "The turn will not run.",
  "Where a thread comes from.",
  "The thread begins. In a fork: what it shares ends here.",
  "The settings changed.",
  "The version is pinned, for life.",
  "The thread has a new name.",
  "The thread was archived.",
  "The thread came back from the archive.",
  "A turn waits.",
  "A waiting turn will not run.",
  "A turn starts.",
  "Input was accepted for a running turn; an item follows when the model gets it.",
  "An item begins to stream.",
  "Streamed text up to here is safe (durability.md D3).",
  "An item is whole, or as whole as it will be.",
  "A request to the model failed and is tried again.",
  "The model reported what it used.",
  "A turn ended: the one terminal event (rules.md U5).",
  "Turns left the model's context and the turn list; the log keeps them.",
  "The model's context starts anew from here.",
  "A message of another agent has arrived; an item with its id follows when the model gets it.",
  "The agent has something for another one; it stays here until that one has it.",
  "A message that waited here is stored with its receiver.",
  "An agent did something with another one; for people, never in a model's input.",
  "The agent was closed: it takes no slot and no messages.",
  "The agent was opened again.",
  "A line of an imported history that means nothing to this server, kept as it was.",
  "What happened to one thread. Numbered 1, 2, 3 … without gaps, stored for ever, never changed.",
  "What a thread does, and what it waits for.",
  "Streamed text; not numbered, not durable, may be merged.",
  "The text of an unfinished item so far; deltas go on from its end.",
  "First message of a subscription.",
  "What was stored has been sent; what happens comes from here on.",
  "Nothing new: all events up to here have been sent.",
  "The thread's status changed.",
  "A thread exists.",
  "A thread was deleted.",
  "A thread was archived or came back.",
  "A thread has a new name.",
  "One message of a subscription, or of stream 0.",
  "One agent of a tree.",
  "Reads a tree.",
  "The whole tree, the root first, parents before children.",
  "Ends the running turn of an agent.",
  "No turn of the agent runs.",
  "Closes an agent and those below it.",
  "The agents are closed.",
  "A model that turns can use.",
  "Lists models.",
  "The models, in the order of the configuration.",
  "A switch.",
  "Lists features.",
  "The features, by name.",
  "Switches a feature for the whole server; durable.",
  "The feature.",
  "Calls a tool that the client brought.",
  "What the tool answered.",
  "Asks a person.",
  "What the person said.",
  "Stands in front of a message when it is needed; its length is in bytes 9 and 10 of the header.",
  "First frame of a client.",
  "The server's answer to HELLO.",
  "The limits of one connection. A field that is absent in a wish means no wish.",
  "One fact beside an error, for programs: `field`, `limit`, `now`, `oldest`, `turn`.",
  "Why a request was not served.",
  "Allows more bytes of a subscription.",
  "Asks whether the peer is there.",
  "Answers a PING.",
  "The sender takes no more streams.",
  "Asks how the server is.",
  "What a model provider does.",
  "How the server is.",
  "Begins to record frames of this server into a file of its capture folder (docs/replay.md). At least one of thread, tenant\nand share is needed; of several all must hold. There is one recording at a time.",
  "A recording.",
  "The recording that began.",
  "Ends the recording.",
  "The recording that ended; if it had ended by itself, the last one.",
  "Asks for the recording.",
  "The recording that runs, or the last one.",
  "Turns that were rolled back: all ordinals from `first` to `last`.",
  "A piece of history that a thread shares with another.",
  "An item that streams.",
  "Input that was accepted for the running turn and that the model has not seen.",
  "The turn that runs.",
  "What a spawned agent's tree needs to know of it.",
  "A turn that ended a short while ago.",
  "Everything a session needs to go on, its size independent of the number of turns. Never on the wire:\nit is the snapshot that loading starts from.",
  "One conversation of one agent.",
  "Starts a thread.",
  "The thread, which is durable.",
  "Loads a thread and follows it.",
  "The thread, loaded.",
  "Makes a thread that shares another one's history.",
  "The fork, which is durable.",
  "Reads a thread without loading it.",
  "The thread.",
  "Lists threads.",
  "A page of threads.",
  "Lists the threads that are live on this node.",
  "A page of ids, in order.",
  "Finds text in items.",
  "Where text was found.",
  "A page of hits.",
  "Lists turns.",
  "A page of turns.",
  "An item, and where it stands.",
  "Lists items in the order in which they were completed, those of rolled-back turns left out.",
  "A page of items.",
  "Names a thread.",
  "The name is durable.",
  "Archives a thread; a root takes its tree along.",
  "The thread is archived.",
  "Brings a thread back from the archive; a root takes its tree along.",
  "The thread is back.",
  "Deletes a thread, its tree and its text for good.",
  "The thread is gone.",
  "Takes the last turns out of the context and the turn list.",
  "The rollback is durable.",
  "Replaces the context by a summary that the model writes.",
  "The turn that compacts.",
  "Adds items to the history without a turn.",
  "The items are durable.",
  "Reads a thread's events as they are stored.",
  "A page of events.",
  "Follows a thread, or the lifecycle of all threads of the tenant (rules.md E1).",
  "Ends a subscription.",
  "The subscription has ended.",
};

static const char *const fields_image_part[] = {
  "The address: https or data.",
  "How closely to look: `low`, `high`, `auto`.",
};
static const char *const fields_opaque_part[] = {
  "Its kind in the words of its origin.",
  "Its JSON text.",
};
static const char *const fields_content_part[] = {
  "Text.",
  "An image.",
  "Text that only the provider can read.",
  "Anything else.",
};
static const char *const fields_message_item[] = {
  "Who speaks.\nUnspecified: not said.",
  "What was said.",
  "Where in its answer the model was.\nUnspecified: not said.",
};
static const char *const fields_reasoning_item[] = {
  "Summaries that may be shown.",
  "The thoughts themselves, where the provider gives them.",
  "The thoughts as only the provider can read them.",
  "That provider, by its name in the configuration; nobody else is sent them.",
};
static const char *const fields_tool_call_item[] = {
  "Links the output to the call.",
  "The tool.",
  "The group that the tool belongs to, may be empty.",
  "Arguments, JSON text unless the tool takes plain text.",
  "The arguments are plain text, not JSON.",
};
static const char *const fields_tool_output_item[] = {
  "The call that it answers.",
  "The answer.",
  "Whether the tool said that it succeeded; absent when it did not say.",
  "Why it failed, a stable lower-case name: `tool_timeout`, `tool_unknown`, `tool_failed`, `tool_refused`,\n`tool_interrupted`, `not_run`; empty when it did not fail.",
};
static const char *const fields_agent_mail[] = {
  "The message; the item that it becomes has this id.",
  "What it is for.\nUnspecified: not said.",
  "The sender.",
  "The sender's path.",
  "The receiver.",
  "The receiver's path.",
  "The message.",
  "Whether it starts a turn of an idle receiver.",
};
static const char *const fields_agent_message_item[] = {
  "Path of the sender.",
  "Path of the receiver.",
  "The message.",
  "Whether it starts a turn of an idle receiver.",
  "What it is for.\nUnspecified: not said.",
};
static const char *const fields_compaction_item[] = {
  "The summary.",
  "What the context begins with from here on, messages only, when the origin stored it.",
};
static const char *const fields_marker_item[] = {
  "What it tells.\nUnspecified: not said.",
  "In whose name: developer for V2, user otherwise.\nUnspecified: not said.",
  "The text.",
};
static const char *const fields_item[] = {
  "The item.",
  "How it ended; absent while it is open.\nUnspecified: still open.",
  "The provider's own name of the item.",
  "A message of a user, a developer or the model.",
  "What the model thought.",
  "A tool call.",
  "A tool's answer.",
  "A message between agents.",
  "A compaction.",
  "A marker.",
  "Anything else, kept as it was.",
};
static const char *const fields_name_value[] = {
  "The name; not empty.",
  "The value.",
};
static const char *const fields_settings[] = {
  "Model that answers turns.",
  "Provider of that model.",
  "How hard the model is asked to think.",
  "Which summary of its reasoning the model is asked for.",
  "Service tier at the provider.",
  "Replaces the model's base instructions.",
  "Said to the model as a developer before anything else.",
  "The selected mode; absent when no client has selected one. Never the effective mode (rules.md M10).",
  "Folder that the thread works in.",
  "Names and values of the client's own, sorted by name.",
  "Sampling temperature, 0 to 2.",
  "Tokens that one turn may use, input and output.",
  "Tokens that the thread may use in its life.",
  "Tokens that the whole tree may use, deleted agents not counted; of the root's settings.",
  "How deep agents may spawn agents, 1: the root only; of the root's settings.",
  "How many agents may be spawned in the tree, ended ones counted and deleted ones not; of the root's settings.",
  "An agent's final answer starts a turn of its idle parent; of the root's settings.",
};
static const char *const fields_mode_selection[] = {
  "Select this mode.",
  "Back to unset; must be true.",
};
static const char *const fields_tool_definition[] = {
  "Its name.",
  "Its purpose, in words for the model.",
  "JSON schema of its arguments.",
};
static const char *const fields_tool_selection[] = {
  "These tools and no others from the next turn on, checked as at the start.",
  "No tools from the next turn on. Together with `set` it is refused.",
};
static const char *const fields_settings_change[] = {
  "Model that answers turns; must be in the catalog.",
  "Provider of that model; must be the one of the model's catalog entry.",
  "How hard the model is asked to think.",
  "Which summary of its reasoning the model is asked for.",
  "Service tier at the provider.",
  "Replaces the model's base instructions.",
  "Said to the model as a developer before anything else.",
  "The selected mode: keep, set or clear.",
  "Folder that the thread works in.",
  "Names to set; other names stay.",
  "Sampling temperature, 0 to 2, finite.",
  "Names of metadata to remove.",
  "Settings to unset. Setting and unsetting one in the same change is refused.",
  "Tokens that one turn may use, input and output.",
  "Tokens that the thread may use in its life.",
  "Tokens that the whole tree may use; of the root's settings.",
  "How deep agents may spawn agents, 1: the root only; of the root's settings.",
  "How many agents may be spawned in the tree, ended ones counted; of the root's settings.",
  "An agent's final answer starts a turn of its idle parent; of the root's settings.",
};
static const char *const fields_read_settings_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_read_settings_response[] = {
  "The settings.",
  "Number of the last change, rising by one with each.",
  "The pinned version, `V1` for a legacy thread.",
  "Where the version came from.",
  "Tools that the client brings, by name.",
};
static const char *const fields_update_settings_request[] = {
  "The thread.\nRequired.",
  "The change.",
  "Refuse with `revision_mismatch` unless this is the current revision (rules.md S4).",
  "The tools that the client brings: keep, set or clear. A part of the same change, with the same revision.",
};
static const char *const fields_update_settings_response[] = {
  "The thread's newest event.",
  "Number of the last change.",
  "False when the change was equal to what was there: then there is no event.",
  "The settings for the next turn.",
  "Tools for the next turn that the client brings, by name.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_token_usage[] = {
  "Tokens of the model's input.",
  "Those of them that the provider had cached.",
  "Tokens of the model's output.",
  "Those of them that were thoughts.",
};
static const char *const fields_turn_error[] = {
  "Stable lower-case name: `model_timeout`, `model_failed`, `model_unauthorized`, `model_rate_limited`,\n`model_output_invalid`, `model_output_too_large`, `model_provider_missing`, `context_window_exceeded`,\n`too_many_steps`, `turn_timeout`, `quota`.",
  "What happened and what to do.",
};
static const char *const fields_turn_context[] = {
  "The settings.",
  "Their revision.",
  "The pinned version; absent in histories from before versions.\nUnspecified: not stored.",
  "What the model was told; absent: not applicable.",
  "The shape that the answer of this turn must have, JSON schema; this turn only.",
  "How often the client's tools had been changed when the turn began.",
};
static const char *const fields_turn_input[] = {
  "Text and images.",
  "The client's own name of this input; comes back with its user message.",
};
static const char *const fields_turn[] = {
  "The turn.",
  "Where it stands.",
  "Its place among all turns of the thread, from 1, rolled-back ones counted.",
  "When it started, unix milliseconds.",
  "When it ended.",
  "Tokens used.",
  "Why it failed.",
  "What it ran with; absent in histories that did not store it.",
  "Its first event.",
  "Its last event so far.",
  "What made it start.\nUnspecified: input.",
};
static const char *const fields_queued_turn[] = {
  "The turn.",
  "Its input.",
  "Settings that it brings along.",
  "When it was queued, unix milliseconds.",
  "The shape that its answer must have.",
};
static const char *const fields_start_turn_request[] = {
  "The thread.\nRequired.",
  "The input; must not be empty.",
  "Settings for this turn and later ones; for later ones only, when the input is added to a running turn.",
  "What to do when a turn runs.\nUnspecified: queue.",
  "The shape that the answer must have, JSON schema; this turn only.",
};
static const char *const fields_start_turn_response[] = {
  "The thread's newest event.",
  "The turn: a new one, or the running one when the input was added to it.",
  "Where it stands.",
  "Its place in the queue, from 1; 0 when it does not wait.",
  "The input was added to a running turn.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_steer_turn_request[] = {
  "The thread.\nRequired.",
  "The turn that the caller believes to be running.\nRequired.",
  "The input; must not be empty.",
};
static const char *const fields_steer_turn_response[] = {
  "The thread's newest event.",
  "The turn.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_interrupt_turn_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
};
static const char *const fields_interrupt_turn_response[] = {
  "The thread's newest event.",
  "The turn had ended before.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_list_queue_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_list_queue_response[] = {
  "At most 16.",
  "The running turn.",
};
static const char *const fields_cancel_queued_turn_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
};
static const char *const fields_cancel_queued_turn_response[] = {
  "The thread's newest event.",
  "The turn was cancelled before, as far back as the thread's last 16 turns go; then it is not known any more.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_lineage[] = {
  "Why it exists.\nUnspecified: not said.",
  "Root of its tree; its own id for a root.",
  "The agent that spawned it.",
  "The thread that it was forked from.",
  "The last event that it shares with the thread it was forked from.",
  "0 for a root, its parent's + 1 for a spawned agent.",
  "Its name in its tree: `/root/a`.",
  "A name for people.",
  "Its role.",
  "The program that wrote an imported history.",
};
static const char *const fields_thread_created[] = {
  "The thread; a fork's events begin with this one.",
  "Where it comes from.",
  "Its settings.",
  "When it was created, unix milliseconds; for an import, the time of its origin.",
  "Its name.",
  "Tools that its client brings.",
  "Names a history that the thread shares, or brings along, although no version may be in it.",
  "Its model may ask the person at the client.",
  "What its copied history was told; absent: the first turn gives the initial context.",
};
static const char *const fields_settings_updated[] = {
  "Number of this change.",
  "The settings from here on.",
  "The client's tools from here on; absent: they stay (rules.md S6).",
};
static const char *const fields_version_pinned[] = {
  "The version.",
  "Where it came from.",
};
static const char *const fields_name_changed[] = {
  "The name; empty: none.",
};
static const char *const fields_thread_archived[] = {
  "The root whose archiving took this thread along, or the thread itself.",
};
static const char *const fields_thread_unarchived[] = {
  "The root whose return took this thread along, or the thread itself.",
};
static const char *const fields_turn_queued[] = {
  "The turn and its input.",
};
static const char *const fields_queued_turn_cancelled[] = {
  "The turn.",
};
static const char *const fields_turn_started[] = {
  "The turn.",
  "Its place among all turns of the thread.",
  "What it runs with; absent in histories that did not store it.",
  "What made it start.\nUnspecified: input.",
};
static const char *const fields_input_steered[] = {
  "The input.",
  "The item that it becomes.",
};
static const char *const fields_item_started[] = {
  "The item, without its text.",
};
static const char *const fields_item_checkpoint[] = {
  "The item.",
  "Bytes of the item's text before this piece.",
  "The piece.",
};
static const char *const fields_item_completed[] = {
  "The item.",
};
static const char *const fields_model_retried[] = {
  "Which try failed, from 1.",
  "Why.",
  "How long the server waits before the next, milliseconds.",
};
static const char *const fields_usage_reported[] = {
  "This report.",
  "The turn so far.",
  "The thread so far.",
};
static const char *const fields_turn_ended[] = {
  "The turn.",
  "Completed, interrupted or failed.",
  "Why it failed.",
  "Tokens used.",
};
static const char *const fields_turns_rolled_back[] = {
  "How many.",
  "The first of them.",
  "The last of them.",
  "What the last turn that stays ran with; absent: the next turn gives the initial context.",
  "The last compaction that stays; 0: none.",
};
static const char *const fields_context_compacted[] = {
  "The summary and what replaces the context.",
  "What the model has been told in what replaces the context; absent: the next turn gives the initial context.",
};
static const char *const fields_mail_received[] = {
  "The message.",
  "The message of the same agent that waited here and whose place it takes: the model is not given that one.",
};
static const char *const fields_mail_queued[] = {
  "The message.",
};
static const char *const fields_mail_delivered[] = {
  "The message.",
};
static const char *const fields_agent_activity[] = {
  "What it did.",
  "The other agent.",
  "Its path, for V1 its nickname.",
  "The tool call that did it; empty when a client did.",
};
static const char *const fields_agent_closed[] = {
  "The agent above it that was closed and took it along; absent: it was closed itself.",
};
static const char *const fields_foreign_record[] = {
  "The record.",
};
static const char *const fields_event[] = {
  "Its number.",
  "When, unix milliseconds. A label: order comes from the number (durability.md D10).",
  "The next event belongs to the same mutation.",
  "The turn that it belongs to.",
  "The thread begins.",
  "The settings changed.",
  "The version is pinned.",
  "The thread has a new name.",
  "The thread was archived.",
  "The thread came back from the archive.",
  "A turn waits.",
  "A waiting turn will not run.",
  "A turn starts.",
  "Input for a running turn was accepted.",
  "An item begins.",
  "Streamed text is safe.",
  "An item is whole.",
  "The model is asked again.",
  "Tokens used.",
  "A turn ended.",
  "Turns were rolled back.",
  "The context starts anew.",
  "Kept from an import.",
  "A message of another agent.",
  "A message for another agent.",
  "A message reached its receiver.",
  "Something was done with another agent.",
  "The agent was closed.",
  "The agent was opened again.",
};
static const char *const fields_thread_status[] = {
  "What it does.",
  "A turn waits for a tool of a client.",
  "A turn waits for a person.",
};
static const char *const fields_item_delta[] = {
  "The turn.",
  "The item.",
  "Bytes of the item's text before this piece.",
  "The piece.",
};
static const char *const fields_item_snapshot[] = {
  "The turn.",
  "The item.",
  "The text.",
};
static const char *const fields_subscribed[] = {
  "The newest event.",
  "The oldest event that can be had.",
  "The numbering that `head` belongs to.",
};
static const char *const fields_live[] = {
  "The last event sent.",
};
static const char *const fields_progress[] = {
  "The last event sent.",
};
static const char *const fields_status_changed[] = {
  "The thread.",
  "What it does now.",
};
static const char *const fields_thread_started_notice[] = {
  "The thread.",
  "Where it comes from.",
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
  "First message.",
  "A numbered event.",
  "Streamed text.",
  "Text so far of an unfinished item.",
  "All stored events have been sent.",
  "Nothing new.",
  "The status changed.",
  "A thread exists.",
  "A thread was deleted.",
  "A thread was archived or came back.",
  "A thread has a new name.",
  "On a stream that follows a tree: the agent that this is about. Absent: the thread that the stream follows.",
};
static const char *const fields_agent[] = {
  "The thread.",
  "The agent that spawned it.",
  "Its name in the tree.",
  "A name for people.",
  "What it does.",
  "The system that it speaks.",
  "The last task it was given.",
  "Tokens used.",
  "0 for the root.",
  "Its role.",
  "It was closed.",
  "How its last turn ended; `UNSPECIFIED` before the first end.\nUnspecified: no turn has ended.",
  "Messages that its model has not been given.",
};
static const char *const fields_list_tree_request[] = {
  "Any thread of the tree.\nRequired.",
};
static const char *const fields_list_tree_response[] = {
  "The agents.",
  "How many more may run now (V2), or be open (V1).",
  "Tokens that the whole tree has used.",
};
static const char *const fields_interrupt_agent_request[] = {
  "The agent.\nRequired.",
};
static const char *const fields_interrupt_agent_response[] = {
  "The thread's newest event.",
  "There was no running turn.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_close_agent_request[] = {
  "The agent.\nRequired.",
};
static const char *const fields_close_agent_response[] = {
  "How many were closed; 0 when they were closed before.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_catalog_model[] = {
  "Its name, as settings use it.",
  "The provider that answers for it.",
  "A name for people.",
  "What it is good for.",
  "The version that it asks for; `UNSPECIFIED` when the entry has none, or one that this server does not know.",
  "Efforts that it knows.",
  "The effort that it takes when none is asked for.",
  "Tokens that fit into its context.",
  "New threads use it when they name none.",
  "Lists leave it out unless asked.",
};
static const char *const fields_list_models_request[] = {
  "Hidden ones too.",
};
static const char *const fields_list_models_response[] = {
  "The models.",
};
static const char *const fields_feature[] = {
  "Its name: `multi_agent`, `multi_agent_v2`, `multi_agent_mode`.",
  "How ripe it is.",
  "What it does.",
  "Its value when nobody sets it.",
  "Its value now.",
};
static const char *const fields_list_features_response[] = {
  "The features.",
};
static const char *const fields_set_feature_request[] = {
  "The feature.\nRequired.",
  "Its value from now on; absent: back to the configured value.",
};
static const char *const fields_set_feature_response[] = {
  "The feature.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_call_tool_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
  "The call.",
  "The tool.",
  "Its arguments, JSON text.",
  "Until when an answer counts, unix milliseconds.",
};
static const char *const fields_call_tool_response[] = {
  "The answer.",
  "Whether it succeeded.",
};
static const char *const fields_request_user_input_request[] = {
  "The thread.\nRequired.",
  "The turn.\nRequired.",
  "The question.",
  "Answers to choose from; empty: any text.",
  "SHA-256 of what is asked; the answer repeats it, so that it cannot count for another question.",
  "Until when an answer counts, unix milliseconds.",
  "The call of the model that asks.",
};
static const char *const fields_request_user_input_response[] = {
  "The answer.",
  "The hash of the action that was shown.",
};
static const char *const fields_metadata[] = {
  "W3C trace context, `traceparent`.",
  "W3C trace context, `tracestate`.",
  "The caller's name for this request; repeated in the server's log.",
  "Milliseconds from arrival after which the caller no longer waits. Absent: no deadline. 0 is refused.",
  "Made by the client, the same on every retry of one mutation (rules.md E2).",
  "The host name that the caller meant to reach.",
  "A fresh bearer token for this connection, of the same tenant; from then on its expiry and its rights count.",
};
static const char *const fields_client_hello[] = {
  "Protocol versions that the client speaks; empty means version 1.",
  "Name of the client program.",
  "Version of the client program.",
  "Bearer token, static or a JSON Web Token; needed when the server asks for one.",
  "Limits that the client would like; the server's answer says what holds.",
  "Names of features that the client understands, experimental ones among them.",
  "Notification kinds that the client does not want on stream 0: `thread_started`.",
};
static const char *const fields_server_hello[] = {
  "The protocol version in use.",
  "This server.",
  "This connection.",
  "The server's clock, unix milliseconds. A label: nothing is ordered by it.",
  "First 8 bytes of the SHA-256 of the schema, as hexadecimal digits.",
  "`synced`: an acknowledged mutation has reached the disk (durability.md D1, D4).",
  "Every limit that the server enforces on this connection.",
  "Version of the server program.",
};
static const char *const fields_connection_limits[] = {
  "Largest frame payload, bytes.",
  "Requests in flight.",
  "Subscriptions.",
  "Bytes waiting to go out.",
  "A connection without a byte for this long is closed, milliseconds.",
  "A frame must be complete this long after its first byte, milliseconds.",
  "Depth of nested messages.",
  "Elements of one repeated field.",
  "Unknown fields of one message.",
  "Input text of one turn, bytes.",
  "Largest page.",
  "Queued turns of one thread.",
  "Events of one thread.",
  "Requests of one tenant a second; 0: not limited.",
  "Running turns of one tenant; 0: not limited.",
  "Errors and cancels of one connection in 30 seconds.",
};
static const char *const fields_error_detail[] = {
  "The name of the fact.",
  "The value as text; ids as UUIDs.",
};
static const char *const fields_error[] = {
  "Canonical code.",
  "Stable lower-case name that clients may switch on; see docs/errors.md.",
  "What happened and what to do about it.",
  "When a retry makes sense, milliseconds from now; absent: not by waiting.",
  "Facts beside the reason.",
  "Finds the server's log line; present when there is one.",
};
static const char *const fields_credit[] = {
  "Bytes beyond those allowed so far; at least 1.",
};
static const char *const fields_ping[] = {
  "Comes back in the PONG; 64 bytes at most.",
};
static const char *const fields_pong[] = {
  "The bytes of the PING.",
  "`SERVING` only while it is true.",
};
static const char *const fields_go_away[] = {
  "The highest stream that was or will be served; those above are safe to retry elsewhere.",
  "Code, reason and what to do.",
};
static const char *const fields_provider_status[] = {
  "Its name.",
  "Requests that it answers now.",
  "Requests that wait for their turn.",
  "How many it may answer at once; 0: no bound.",
};
static const char *const fields_server_status_response[] = {
  "Whether it serves.",
  "Version of the program.",
  "This server.",
  "How long it has been up, milliseconds.",
  "Open connections.",
  "Threads that are live.",
  "Turns that run.",
  "Events on disk that this process has written.",
  "Groups that this process has synced.",
  "`synced`.",
  "Tokens that the caller's tenant has used since the server started.",
  "The model providers, by name.",
};
static const char *const fields_start_capture_request[] = {
  "Only what concerns this thread.",
  "Only connections of this tenant.",
  "Only so many of 1,000 connections, drawn by their ids: 1 to 1,000.",
  "Ends with the first frame that would make the file longer than this; absent: 64 MiB.",
  "Ends after so many milliseconds, at most 24 hours; absent: 5 minutes.",
};
static const char *const fields_capture_state[] = {
  "Its file in the capture folder.",
  "Whether it goes on.",
  "Frames in the file.",
  "Bytes of the file.",
  "Frames that belonged into the file and are not there, because they came faster than they could be written.",
  "Their bytes.",
  "Milliseconds from its beginning to now, or to its end.",
  "Why it ended.",
};
static const char *const fields_start_capture_response[] = {
  "As it stands.",
};
static const char *const fields_stop_capture_response[] = {
  "As it stands: everything is in the file.",
};
static const char *const fields_read_capture_response[] = {
  "As it stands; absent when there was none since the server started.",
};
static const char *const fields_turn_range[] = {
  "The first.",
  "The last.",
};
static const char *const fields_history_segment[] = {
  "The thread that owns the events.",
  "The last event of it that belongs here.",
  "The last turn of it that belongs here.",
};
static const char *const fields_open_item[] = {
  "The item, without its text.",
  "Text that has been made safe so far.",
};
static const char *const fields_pending_input[] = {
  "The input.",
  "The item that it becomes.",
};
static const char *const fields_running_turn[] = {
  "The turn.",
  "Its place among all turns.",
  "When it started.",
  "What it runs with.",
  "Items that stream.",
  "Input that the model has not seen.",
  "Tokens used so far.",
  "The number of its first event.",
  "Tool calls without an output.",
  "The last message of the model in this turn; kept for agents only.",
  "What made it start.\nUnspecified: input.",
  "The client's tools that it began with, where they have been changed since; absent: the thread's.",
};
static const char *const fields_agent_state[] = {
  "It was closed.",
  "The last task that it was given, its beginning.",
  "How its last turn ended.\nUnspecified: no turn has ended.",
  "What it answered at the end of its last turn.",
  "Why its last turn failed.",
  "V1: its parent has been told of its end.",
  "It was closed together with this agent, which is above it; absent: it was closed itself.",
};
static const char *const fields_ended_turn[] = {
  "The turn.",
};
static const char *const fields_thread_record[] = {
  "The thread.",
  "Where it comes from.",
  "Its name.",
  "The beginning of its first user message.",
  "It is archived.",
  "When it was created.",
  "When something last happened to it.",
  "The settings for the next turn.",
  "Number of the last change.",
  "The pinned version.\nUnspecified: not pinned.",
  "Where the version came from.\nUnspecified: not pinned.",
  "Its newest event.",
  "Turns so far, rolled-back ones counted.",
  "Turns that were rolled back, in order, not touching one another.",
  "What the last turn that counts ran with; absent: the next turn gives the initial context.",
  "The running turn.",
  "Turns that wait.",
  "The last compaction: context before this event is not sent to the model.",
  "Tokens used.",
  "History that it shares, oldest first.",
  "Turns that ended a short while ago, the newest last, 16 at most.",
  "It has a history in which a version could have been stored (rules.md V4).",
  "Tools that its client brought.",
  "Bytes of all its events.",
  "The last turn failed for a reason that will not go away by itself.",
  "The event that pinned the version; 0 when it came along with a fork's copied record.",
  "Messages that the model has not been given.",
  "Messages that have not reached their receivers.",
  "Of a spawned agent.",
  "Its model may ask the person at the client.",
  "Tokens of the model's input and output in its last step: how full the context is.",
  "How its last turn ended.\nUnspecified: no turn has ended.",
  "How often the client's tools have been changed since the start.",
};
static const char *const fields_agent_thread[] = {
  "The thread.",
  "Where it comes from.",
  "Its name; empty: none.",
  "The beginning of its first user message.",
  "What it does.",
  "It is kept in memory only.",
  "It is archived.",
  "When it was created, unix milliseconds.",
  "When something last happened to it, unix milliseconds.",
  "The settings for its next turn.",
  "Number of the last change of settings.",
  "Its runtime version; `UNSPECIFIED` until it is pinned.",
  "Where the version came from.",
  "Its newest event.",
  "The numbering that `sequence` belongs to.",
  "Turns in its turn list.",
  "Tokens used.",
  "The running turn.",
  "Turns that wait.",
  "Its model may ask the person at the client.",
  "It is a spawned agent that was closed.",
  "Tools that its client brought, by name.",
};
static const char *const fields_start_thread_request[] = {
  "Settings that differ from the server's defaults.",
  "Its name.",
  "Keep it in memory only: it is gone with the server, or when nobody has used it for some time (durability.md).",
  "Subscribe this stream to the new thread; absent means true.",
  "Tools that this client brings (rules.md A9).",
  "Let the model ask the person at the client: it gets the tool `request_user_input`.",
  "Follow the agents below it on this stream too (rules.md A12).",
};
static const char *const fields_start_thread_response[] = {
  "The thread's newest event.",
  "The thread.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_resume_thread_request[] = {
  "The thread.\nRequired.",
  "Subscribe this stream to what happens from now on; absent means true.",
  "Follow the agents below it on this stream too (rules.md A12).",
  "The tools that the client brings: keep, set or clear. A change of settings, with a revision and an event.",
};
static const char *const fields_resume_thread_response[] = {
  "The thread's newest event.",
  "The thread.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_fork_thread_request[] = {
  "The source.\nRequired.",
  "Share the history up to the end of this turn; absent: up to the last durable event.",
  "Settings that differ from the source's.",
  "Its name.",
  "Subscribe this stream to the fork; absent means true.",
  "Follow the agents below it on this stream too (rules.md A12).",
  "The tools of the fork: its source's, these, or none.",
};
static const char *const fields_fork_thread_response[] = {
  "The fork's newest event.",
  "The fork.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_read_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_read_thread_response[] = {
  "The thread.",
};
static const char *const fields_list_threads_request[] = {
  "From the page before; absent: the first page.",
  "Threads on a page, 1 to 200; absent: 25.",
  "Order of creation.\nUnspecified: newest first.",
  "Only archived, or only not archived ones; absent: not archived.",
  "Only those that exist for this reason.",
  "Only those spawned by this one.",
  "Only those forked from this one.",
  "Only those of this provider.",
  "Only those whose name or preview contains this text, case ignored for ASCII.",
  "Only those of this working folder.",
  "Only those created at or after this time, unix milliseconds.",
  "Only those created before this time, unix milliseconds.",
};
static const char *const fields_list_threads_response[] = {
  "The threads.",
  "For the next page; empty: this is the last.",
};
static const char *const fields_list_loaded_threads_request[] = {
  "From the page before.",
  "Ids on a page, 1 to 200; absent: 200.",
};
static const char *const fields_list_loaded_threads_response[] = {
  "The threads.",
  "For the next page; empty: this is the last.",
};
static const char *const fields_search_threads_request[] = {
  "What to find.\nRequired.",
  "From the page before.",
  "Hits on a page, 1 to 200; absent: 25.",
};
static const char *const fields_search_hit[] = {
  "The thread.",
  "The event that holds it.",
  "The text around it.",
};
static const char *const fields_search_threads_response[] = {
  "The hits.",
  "For the next page; empty: this is the last.",
};
static const char *const fields_list_turns_request[] = {
  "The thread.\nRequired.",
  "From the page before.",
  "Turns on a page, 1 to 200; absent: 25.",
  "Which way the list runs.\nUnspecified: newest first.",
};
static const char *const fields_list_turns_response[] = {
  "The turns.",
  "For the next page; empty: this is the last.",
};
static const char *const fields_listed_item[] = {
  "The item.",
  "The turn that it belongs to; absent for items between turns.",
  "The event that completed it.",
  "When, unix milliseconds.",
};
static const char *const fields_list_items_request[] = {
  "The thread.\nRequired.",
  "Only those of this turn.",
  "From the page before.",
  "Items on a page, 1 to 200; absent: 25.",
  "Which way the list runs; absent: oldest first.\nUnspecified: oldest first.",
};
static const char *const fields_list_items_response[] = {
  "The items.",
  "For the next page; empty: this is the last.",
};
static const char *const fields_set_thread_name_request[] = {
  "The thread.\nRequired.",
  "The name, 1,024 bytes at most; empty: none.",
};
static const char *const fields_set_thread_name_response[] = {
  "The thread's newest event.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_archive_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_archive_thread_response[] = {
  "The thread's newest event.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_unarchive_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_unarchive_thread_response[] = {
  "The thread's newest event.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_delete_thread_request[] = {
  "The thread.\nRequired.",
};
static const char *const fields_delete_thread_response[] = {
  "How many threads were deleted.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_rollback_thread_request[] = {
  "The thread; must be idle.\nRequired.",
  "How many turns, at least 1; more than there are means all.",
};
static const char *const fields_rollback_thread_response[] = {
  "The thread's newest event.",
  "How many turns were rolled back.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_compact_thread_request[] = {
  "The thread; must be idle.\nRequired.",
};
static const char *const fields_compact_thread_response[] = {
  "The thread's newest event.",
  "The turn.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_inject_items_request[] = {
  "The thread; must be idle.\nRequired.",
  "The items.",
};
static const char *const fields_inject_items_response[] = {
  "The thread's newest event.",
  "True when this answer was given before, to the same idempotency key.",
};
static const char *const fields_export_thread_request[] = {
  "The thread.\nRequired.",
  "Events after this one.",
  "Events on a page, 1 to 200; absent: 200.",
};
static const char *const fields_export_thread_response[] = {
  "The events.",
  "There are more.",
};
static const char *const fields_subscribe_request[] = {
  "The thread; absent: lifecycle notices of all threads.",
  "The numbering that `after` belongs to; absent: whatever holds now.",
  "Events after this one; absent: only what happens from now on.",
  "What is wanted; empty: everything.",
  "Bytes that may be sent before CREDIT allows more; absent: no bound but the connection's.",
  "Follow the agents below it on this stream too, each from where it stands now; `after` and `epoch` are about `thread`\nalone (rules.md A12).",
};
static const char *const fields_unsubscribe_request[] = {
  "The thread; absent: the lifecycle notices.",
};
static const char *const fields_unsubscribe_response[] = {
  "There was one.",
};
static const char *const *const fields[] = {
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
  fields_call_tool_request,
  fields_call_tool_response,
  fields_request_user_input_request,
  fields_request_user_input_response,
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
  "One run of the server process as one connection sees it.",
  "One server node.",
  "A key that a client makes so that a retry finds its first result.",
};
static const char *const values_role[] = {
  "Not said.",
  "The user.",
  "The developer: hints, modes, instructions.",
  "The system.",
  "The model.",
};
static const char *const values_phase[] = {
  "Not said.",
  "Said on the way.",
  "The answer.",
};
static const char *const values_item_status[] = {
  "Still open.",
  "Whole.",
  "Cut off by the end of its turn; text ends at the last checkpoint.",
  "Failed.",
};
static const char *const values_agent_message_kind[] = {
  "Not said.",
  "A task.",
  "A message on the way.",
  "What an agent answers at the end of a turn.",
  "V1: a note, in the name of the user, that an agent has come to an end.",
};
static const char *const values_marker_kind[] = {
  "Not said.",
  "The turn before was interrupted (rules.md U3, U4).",
};
static const char *const values_multi_agent_version[] = {
  "Not pinned yet.",
  "The first system: spawn, send, wait, close, resume.",
  "The second system: named agents, mail, concurrency by running turns.",
  "No other agents.",
};
static const char *const values_version_source[] = {
  "The version is not pinned yet.",
  "Found in the thread's own history.",
  "Handed down by a parent, or by the source of a fork.",
  "A history in which nobody ever stored a version.",
  "The catalog entry of the first turn's model.",
  "The feature flags.",
};
static const char *const values_multi_agent_mode[] = {
  "Unset.",
  "Delegate only when the user asks for it.",
  "Delegate when it helps.",
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
  "Not said.",
  "Waits for the turn before it.",
  "Runs.",
  "Ended as it should.",
  "Ended by a client, by the end of the server, or by a fork in its middle.",
  "Ended by an error.",
};
static const char *const values_turn_cause[] = {
  "Input of a client, or of an agent that writes like one (V1).",
  "A message of another agent.",
  "A client asked for the context to be compacted.",
};
static const char *const values_when_busy[] = {
  "The default: it waits.",
  "It waits.",
  "It is refused with `turn_in_progress`.",
  "Its input is added to the running turn.",
};
static const char *const values_thread_source[] = {
  "Not said.",
  "A client started it.",
  "A client forked it.",
  "An agent spawned it.",
  "It was imported.",
};
static const char *const values_agent_activity_kind[] = {
  "Not said.",
  "Started it.",
  "Sent it a message or a task.",
  "Interrupted its turn.",
  "Closed it.",
  "Opened it again.",
};
static const char *const values_thread_state[] = {
  "Not said.",
  "On disk only.",
  "Waits for a turn.",
  "Runs a turn.",
  "Its last turn failed for a reason that will not go away by itself.",
};
static const char *const values_feature_stage[] = {
  "Not said.",
  "Being built.",
  "Complete, may change.",
  "Here to stay.",
  "On its way out.",
};
static const char *const values_frame_kind[] = {
  "Never sent.",
  "Opens a stream, in both directions.",
  "Ends a stream with its answer; without the end flag events follow.",
  "One item of a stream: a `SubscriptionEvent`.",
  "Ends a stream with an `Error`.",
  "Asks for the end of a stream; no payload.",
  "Allows more bytes of a stream: a `Credit`.",
  "Asks whether the peer is there: a `Ping`. Legal before HELLO.",
  "Answers a PING: a `Pong`.",
  "The sender stops taking streams: a `GoAway`.",
  "First frame of both sides: `ClientHello` and `ServerHello`.",
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
};
static const char *const values_code[] = {
  "No error; never sent.",
  "The request was cancelled by its caller.",
  "The server does not know what went wrong.",
  "The request is wrong whatever the state.",
  "The deadline passed.",
  "It does not exist, for this tenant.",
  "It exists already.",
  "The caller may not do this.",
  "A limit is reached.",
  "The state does not allow it.",
  "Somebody else was first.",
  "A position is outside of what there is.",
  "The server does not have this method.",
  "The server broke one of its own rules.",
  "Try again later, or elsewhere.",
  "Stored data is damaged.",
  "The caller has not said who it is.",
};
static const char *const values_serving_status[] = {
  "Not said.",
  "Requests are served and mutations reach the disk.",
  "Reads are served, mutations are refused (durability.md D9).",
  "The server is about to end.",
};
static const char *const values_capture_end[] = {
  "It goes on.",
  "By request.",
  "The file has as many bytes as it may.",
  "Its time is over.",
  "The disk refused bytes, or has little room left.",
  "The server ends.",
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
static const char *const *const values[] = {
  values_id_kind,
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
  values_frame_kind,
  values_method,
  values_code,
  values_serving_status,
  values_capture_end,
  values_list_order,
  values_subscription_kind,
};

const char *heddle_message_comment(uint16_t message) { return messages[message]; }
const char *heddle_field_comment(uint16_t message, uint16_t field) { return fields[message][field]; }
const char *heddle_enum_value_comment(uint16_t enumeration, uint16_t value) {
  return values[enumeration][value];
}
const char *heddle_method_comment(int32_t number) {
  switch (number) {
  case 101: return "Starts a thread; on frames its events follow on the same stream.";
  case 102: return "Loads a thread; on frames its events follow on the same stream.";
  case 103: return "Makes a thread that shares another one's history; on frames its events follow on the same stream.";
  case 104: return "Reads a thread without loading it.";
  case 105: return "Pages through threads.";
  case 106: return "Pages through the threads that are live on this node.";
  case 107: return "Finds text in items.";
  case 108: return "Pages through the turns of a thread.";
  case 109: return "Pages through the items of a thread.";
  case 110: return "Names a thread.";
  case 111: return "Archives a thread and its tree.";
  case 112: return "Brings a thread and its tree back.";
  case 113: return "Deletes a thread and its tree.";
  case 114: return "Takes the last turns out of the context.";
  case 115: return "Replaces the context by a summary.";
  case 116: return "Adds items without a turn.";
  case 117: return "Reads stored events.";
  case 118: return "Follows a thread.";
  case 119: return "Ends a subscription.";
  case 201: return "Starts a turn, or queues it.";
  case 202: return "Adds input to a running turn.";
  case 203: return "Ends a running turn.";
  case 204: return "The turns that wait.";
  case 205: return "Takes a waiting turn out of the queue.";
  case 301: return "The settings for the next turn.";
  case 302: return "Changes settings for the next turn; works while a turn runs.";
  case 401: return "The whole tree.";
  case 402: return "Ends the running turn of an agent.";
  case 403: return "Closes an agent and those below it.";
  case 501: return "The models.";
  case 502: return "The features.";
  case 503: return "Switches a feature.";
  case 601: return "How the server is.";
  case 602: return "Begins to record frames.";
  case 603: return "Ends the recording.";
  case 604: return "How the recording stands.";
  case 701: return "Calls a tool that the client brought.";
  case 702: return "Asks a person.";
  default: return "";
  }
}
