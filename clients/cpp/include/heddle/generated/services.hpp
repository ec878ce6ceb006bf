// Made by `make generate` from proto/; edit that instead.
// codegen/clients/cpp.py writes this file.
#pragma once

#include "heddle/detail/call.hpp"
#include "heddle/generated/methods.hpp"
#include "heddle/pages.hpp"
#include "heddle/v1/agent.pb.h"
#include "heddle/v1/catalog.pb.h"
#include "heddle/v1/client.pb.h"
#include "heddle/v1/event.pb.h"
#include "heddle/v1/server.pb.h"
#include "heddle/v1/settings.pb.h"
#include "heddle/v1/thread.pb.h"
#include "heddle/v1/turn.pb.h"

namespace heddle {

// The methods of ThreadService.
class threads_service {
 public:
  explicit threads_service(detail::core_pointer core) : core_(std::move(core)) {}

  // Starts a thread. On a frame connection, its events follow on the same stream.
  asio::awaitable<v1::StartThreadResponse> start(v1::StartThreadRequest request = v1::StartThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::StartThreadResponse>(core_, detail::methods::threads_start, std::move(request), std::move(options));
  }

  // Loads a thread. On a frame connection, its events follow on the same stream.
  asio::awaitable<v1::ResumeThreadResponse> resume(v1::ResumeThreadRequest request = v1::ResumeThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::ResumeThreadResponse>(core_, detail::methods::threads_resume, std::move(request), std::move(options));
  }

  // Creates a thread that shares another thread's history. On a frame connection, its events follow on the same stream.
  asio::awaitable<v1::ForkThreadResponse> fork(v1::ForkThreadRequest request = v1::ForkThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::ForkThreadResponse>(core_, detail::methods::threads_fork, std::move(request), std::move(options));
  }

  // Reads a thread without loading it.
  asio::awaitable<v1::ReadThreadResponse> read(v1::ReadThreadRequest request = v1::ReadThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::ReadThreadResponse>(core_, detail::methods::threads_read, std::move(request), std::move(options));
  }

  // Lists threads, page by page.
  asio::awaitable<v1::ListThreadsResponse> list(v1::ListThreadsRequest request = v1::ListThreadsRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListThreadsResponse>(core_, detail::methods::threads_list, std::move(request), std::move(options));
  }

  // The threads of all pages, one by one.
  pages<v1::AgentThread> each_list(v1::ListThreadsRequest request = v1::ListThreadsRequest(), call_options options = call_options()) const {
    return detail::each<v1::ListThreadsResponse, v1::AgentThread>(core_, detail::methods::threads_list, std::move(request), std::move(options),
        [](v1::ListThreadsResponse& page) { return page.mutable_threads(); });
  }

  // Lists the threads that are loaded on this node, page by page.
  asio::awaitable<v1::ListLoadedThreadsResponse> list_loaded(v1::ListLoadedThreadsRequest request = v1::ListLoadedThreadsRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListLoadedThreadsResponse>(core_, detail::methods::threads_list_loaded, std::move(request), std::move(options));
  }

  // The threads of all pages, one by one.
  pages<std::string> each_list_loaded(v1::ListLoadedThreadsRequest request = v1::ListLoadedThreadsRequest(), call_options options = call_options()) const {
    return detail::each<v1::ListLoadedThreadsResponse, std::string>(core_, detail::methods::threads_list_loaded, std::move(request), std::move(options),
        [](v1::ListLoadedThreadsResponse& page) { return page.mutable_threads(); });
  }

  // Finds text in items. Not built yet.
  asio::awaitable<v1::SearchThreadsResponse> search(v1::SearchThreadsRequest request = v1::SearchThreadsRequest(), call_options options = call_options()) const {
    return detail::call<v1::SearchThreadsResponse>(core_, detail::methods::threads_search, std::move(request), std::move(options));
  }

  // The hits of all pages, one by one.
  pages<v1::SearchHit> each_search(v1::SearchThreadsRequest request = v1::SearchThreadsRequest(), call_options options = call_options()) const {
    return detail::each<v1::SearchThreadsResponse, v1::SearchHit>(core_, detail::methods::threads_search, std::move(request), std::move(options),
        [](v1::SearchThreadsResponse& page) { return page.mutable_hits(); });
  }

  // Lists the turns of a thread, page by page.
  asio::awaitable<v1::ListTurnsResponse> list_turns(v1::ListTurnsRequest request = v1::ListTurnsRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListTurnsResponse>(core_, detail::methods::threads_list_turns, std::move(request), std::move(options));
  }

  // The turns of all pages, one by one.
  pages<v1::Turn> each_list_turns(v1::ListTurnsRequest request = v1::ListTurnsRequest(), call_options options = call_options()) const {
    return detail::each<v1::ListTurnsResponse, v1::Turn>(core_, detail::methods::threads_list_turns, std::move(request), std::move(options),
        [](v1::ListTurnsResponse& page) { return page.mutable_turns(); });
  }

  // Lists the items of a thread, page by page.
  asio::awaitable<v1::ListItemsResponse> list_items(v1::ListItemsRequest request = v1::ListItemsRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListItemsResponse>(core_, detail::methods::threads_list_items, std::move(request), std::move(options));
  }

  // The items of all pages, one by one.
  pages<v1::ListedItem> each_list_items(v1::ListItemsRequest request = v1::ListItemsRequest(), call_options options = call_options()) const {
    return detail::each<v1::ListItemsResponse, v1::ListedItem>(core_, detail::methods::threads_list_items, std::move(request), std::move(options),
        [](v1::ListItemsResponse& page) { return page.mutable_items(); });
  }

  // Names a thread.
  asio::awaitable<v1::SetThreadNameResponse> set_name(v1::SetThreadNameRequest request = v1::SetThreadNameRequest(), call_options options = call_options()) const {
    return detail::call<v1::SetThreadNameResponse>(core_, detail::methods::threads_set_name, std::move(request), std::move(options));
  }

  // Archives a thread and its tree.
  asio::awaitable<v1::ArchiveThreadResponse> archive(v1::ArchiveThreadRequest request = v1::ArchiveThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::ArchiveThreadResponse>(core_, detail::methods::threads_archive, std::move(request), std::move(options));
  }

  // Unarchives a thread and its tree.
  asio::awaitable<v1::UnarchiveThreadResponse> unarchive(v1::UnarchiveThreadRequest request = v1::UnarchiveThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::UnarchiveThreadResponse>(core_, detail::methods::threads_unarchive, std::move(request), std::move(options));
  }

  // Deletes a thread and its tree.
  asio::awaitable<v1::DeleteThreadResponse> delete_(v1::DeleteThreadRequest request = v1::DeleteThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::DeleteThreadResponse>(core_, detail::methods::threads_delete, std::move(request), std::move(options));
  }

  // Removes the last turns from the context and the turn list.
  asio::awaitable<v1::RollbackThreadResponse> rollback(v1::RollbackThreadRequest request = v1::RollbackThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::RollbackThreadResponse>(core_, detail::methods::threads_rollback, std::move(request), std::move(options));
  }

  // Replaces the context with a summary.
  asio::awaitable<v1::CompactThreadResponse> compact(v1::CompactThreadRequest request = v1::CompactThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::CompactThreadResponse>(core_, detail::methods::threads_compact, std::move(request), std::move(options));
  }

  // Adds items to the history without a turn. Not built yet.
  asio::awaitable<v1::InjectItemsResponse> inject_items(v1::InjectItemsRequest request = v1::InjectItemsRequest(), call_options options = call_options()) const {
    return detail::call<v1::InjectItemsResponse>(core_, detail::methods::threads_inject_items, std::move(request), std::move(options));
  }

  // Reads a thread's stored events. Not built yet.
  asio::awaitable<v1::ExportThreadResponse> export_(v1::ExportThreadRequest request = v1::ExportThreadRequest(), call_options options = call_options()) const {
    return detail::call<v1::ExportThreadResponse>(core_, detail::methods::threads_export, std::move(request), std::move(options));
  }

 private:
  detail::core_pointer core_;
};

// The methods of TurnService.
class turns_service {
 public:
  explicit turns_service(detail::core_pointer core) : core_(std::move(core)) {}

  // Starts a turn, or queues it.
  asio::awaitable<v1::StartTurnResponse> start(v1::StartTurnRequest request = v1::StartTurnRequest(), call_options options = call_options()) const {
    return detail::call<v1::StartTurnResponse>(core_, detail::methods::turns_start, std::move(request), std::move(options));
  }

  // Adds input to a running turn.
  asio::awaitable<v1::SteerTurnResponse> steer(v1::SteerTurnRequest request = v1::SteerTurnRequest(), call_options options = call_options()) const {
    return detail::call<v1::SteerTurnResponse>(core_, detail::methods::turns_steer, std::move(request), std::move(options));
  }

  // Interrupts a running turn.
  asio::awaitable<v1::InterruptTurnResponse> interrupt(v1::InterruptTurnRequest request = v1::InterruptTurnRequest(), call_options options = call_options()) const {
    return detail::call<v1::InterruptTurnResponse>(core_, detail::methods::turns_interrupt, std::move(request), std::move(options));
  }

  // Lists the queued turns.
  asio::awaitable<v1::ListQueueResponse> list_queue(v1::ListQueueRequest request = v1::ListQueueRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListQueueResponse>(core_, detail::methods::turns_list_queue, std::move(request), std::move(options));
  }

  // Removes a turn from the queue.
  asio::awaitable<v1::CancelQueuedTurnResponse> cancel_queued(v1::CancelQueuedTurnRequest request = v1::CancelQueuedTurnRequest(), call_options options = call_options()) const {
    return detail::call<v1::CancelQueuedTurnResponse>(core_, detail::methods::turns_cancel_queued, std::move(request), std::move(options));
  }

 private:
  detail::core_pointer core_;
};

// The methods of SettingsService.
class settings_service {
 public:
  explicit settings_service(detail::core_pointer core) : core_(std::move(core)) {}

  // Returns the settings for the next turn.
  asio::awaitable<v1::ReadSettingsResponse> read(v1::ReadSettingsRequest request = v1::ReadSettingsRequest(), call_options options = call_options()) const {
    return detail::call<v1::ReadSettingsResponse>(core_, detail::methods::settings_read, std::move(request), std::move(options));
  }

  // Changes settings for the next turn; allowed while a turn is running.
  asio::awaitable<v1::UpdateSettingsResponse> update(v1::UpdateSettingsRequest request = v1::UpdateSettingsRequest(), call_options options = call_options()) const {
    return detail::call<v1::UpdateSettingsResponse>(core_, detail::methods::settings_update, std::move(request), std::move(options));
  }

 private:
  detail::core_pointer core_;
};

// The methods of AgentService.
class agents_service {
 public:
  explicit agents_service(detail::core_pointer core) : core_(std::move(core)) {}

  // Returns the whole tree.
  asio::awaitable<v1::ListTreeResponse> list_tree(v1::ListTreeRequest request = v1::ListTreeRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListTreeResponse>(core_, detail::methods::agents_list_tree, std::move(request), std::move(options));
  }

  // Interrupts the running turn of an agent.
  asio::awaitable<v1::InterruptAgentResponse> interrupt(v1::InterruptAgentRequest request = v1::InterruptAgentRequest(), call_options options = call_options()) const {
    return detail::call<v1::InterruptAgentResponse>(core_, detail::methods::agents_interrupt, std::move(request), std::move(options));
  }

  // Closes an agent and all agents below it.
  asio::awaitable<v1::CloseAgentResponse> close(v1::CloseAgentRequest request = v1::CloseAgentRequest(), call_options options = call_options()) const {
    return detail::call<v1::CloseAgentResponse>(core_, detail::methods::agents_close, std::move(request), std::move(options));
  }

 private:
  detail::core_pointer core_;
};

// The methods of CatalogService.
class catalog_service {
 public:
  explicit catalog_service(detail::core_pointer core) : core_(std::move(core)) {}

  // Lists the models.
  asio::awaitable<v1::ListModelsResponse> list_models(v1::ListModelsRequest request = v1::ListModelsRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListModelsResponse>(core_, detail::methods::catalog_list_models, std::move(request), std::move(options));
  }

  // Lists the features.
  asio::awaitable<v1::ListFeaturesResponse> list_features(v1::ListFeaturesRequest request = v1::ListFeaturesRequest(), call_options options = call_options()) const {
    return detail::call<v1::ListFeaturesResponse>(core_, detail::methods::catalog_list_features, std::move(request), std::move(options));
  }

  // Turns a feature on or off.
  asio::awaitable<v1::SetFeatureResponse> set_feature(v1::SetFeatureRequest request = v1::SetFeatureRequest(), call_options options = call_options()) const {
    return detail::call<v1::SetFeatureResponse>(core_, detail::methods::catalog_set_feature, std::move(request), std::move(options));
  }

 private:
  detail::core_pointer core_;
};

// The methods of ServerService.
class server_service {
 public:
  explicit server_service(detail::core_pointer core) : core_(std::move(core)) {}

  // Returns the server's status.
  asio::awaitable<v1::ServerStatusResponse> status(v1::ServerStatusRequest request = v1::ServerStatusRequest(), call_options options = call_options()) const {
    return detail::call<v1::ServerStatusResponse>(core_, detail::methods::server_status, std::move(request), std::move(options));
  }

  // Starts recording frames.
  asio::awaitable<v1::StartCaptureResponse> start_capture(v1::StartCaptureRequest request = v1::StartCaptureRequest(), call_options options = call_options()) const {
    return detail::call<v1::StartCaptureResponse>(core_, detail::methods::server_start_capture, std::move(request), std::move(options));
  }

  // Stops the recording.
  asio::awaitable<v1::StopCaptureResponse> stop_capture(v1::StopCaptureRequest request = v1::StopCaptureRequest(), call_options options = call_options()) const {
    return detail::call<v1::StopCaptureResponse>(core_, detail::methods::server_stop_capture, std::move(request), std::move(options));
  }

  // Returns the state of the recording.
  asio::awaitable<v1::ReadCaptureResponse> read_capture(v1::ReadCaptureRequest request = v1::ReadCaptureRequest(), call_options options = call_options()) const {
    return detail::call<v1::ReadCaptureResponse>(core_, detail::methods::server_read_capture, std::move(request), std::move(options));
  }

 private:
  detail::core_pointer core_;
};

// The methods of CallService.
class calls_service {
 public:
  explicit calls_service(detail::core_pointer core) : core_(std::move(core)) {}

  // Answers a call of the server. Any connection of the tenant may answer; the first answer counts.
  asio::awaitable<v1::AnswerCallResponse> answer(v1::AnswerCallRequest request = v1::AnswerCallRequest(), call_options options = call_options()) const {
    return detail::call<v1::AnswerCallResponse>(core_, detail::methods::calls_answer, std::move(request), std::move(options));
  }

 private:
  detail::core_pointer core_;
};

// The services of a server: `client.threads()` and so on.
class services {
 public:
  explicit services(detail::core_pointer core) : core_(std::move(core)) {}

  threads_service threads() const {
    return threads_service(core_);
  }
  turns_service turns() const {
    return turns_service(core_);
  }
  settings_service settings() const {
    return settings_service(core_);
  }
  agents_service agents() const {
    return agents_service(core_);
  }
  catalog_service catalog() const {
    return catalog_service(core_);
  }
  server_service server() const {
    return server_service(core_);
  }
  calls_service calls() const {
    return calls_service(core_);
  }

 protected:
  detail::core_pointer core_;
};

}  // namespace heddle
