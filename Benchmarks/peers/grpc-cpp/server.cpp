// gRPC C++ with a dictionary of threads in memory; a thread exists from its first update on.
// usage: server PORT callback|async
#include <grpcpp/grpcpp.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "update.grpc.pb.h"

using namespace heddle::v1;

namespace {

struct Thread {
  uint64_t sequence = 1, revision = 0;
  Settings settings;
};

std::mutex guard;
std::unordered_map<std::string, Thread> threads;

grpc::Status update(const UpdateSettingsRequest &request, UpdateSettingsResponse *response) {
  if (request.thread().size() != 16) return {grpc::StatusCode::INVALID_ARGUMENT, "thread: 16 bytes"};
  std::lock_guard<std::mutex> hold(guard);
  auto [place, is_new] = threads.try_emplace(request.thread());
  Thread &thread = place->second;
  if (is_new) {
    thread.settings.set_model("scripted");
    thread.settings.set_model_provider("scripted");
    thread.settings.set_reasoning_effort("medium");
    thread.settings.set_working_folder("/home/somebody/projects/weaving");
    thread.settings.set_developer_instructions(
        "Answer briefly. Say what you changed, and why, and what you did not look at. Ask before you remove a file.");
  }
  const auto &mode = request.change().mode();
  bool changed = mode.choice_case() == ModeSelection::kSet && mode.set() != thread.settings.mode();
  if (changed) {
    thread.settings.set_mode(mode.set());
    thread.sequence++;
    thread.revision++;
  }
  response->set_sequence(thread.sequence);
  response->set_revision(thread.revision);
  response->set_changed(changed);
  *response->mutable_settings() = thread.settings;
  return grpc::Status::OK;
}

class Callback final : public SettingsService::CallbackService {
  grpc::ServerUnaryReactor *Update(grpc::CallbackServerContext *context, const UpdateSettingsRequest *request,
                                   UpdateSettingsResponse *response) override {
    auto *reactor = context->DefaultReactor();
    reactor->Finish(update(*request, response));
    return reactor;
  }
};

// One call of the asynchronous interface: waits for a request, answers, begins anew.
struct Call {
  SettingsService::AsyncService *service;
  grpc::ServerCompletionQueue *queue;
  std::unique_ptr<grpc::ServerContext> context;
  std::unique_ptr<grpc::ServerAsyncResponseWriter<UpdateSettingsResponse>> writer;
  UpdateSettingsRequest request;
  UpdateSettingsResponse response;
  bool is_answering = false;

  void wait() {
    is_answering = false;
    context = std::make_unique<grpc::ServerContext>();
    writer = std::make_unique<grpc::ServerAsyncResponseWriter<UpdateSettingsResponse>>(context.get());
    request.Clear();
    response.Clear();
    service->RequestUpdate(context.get(), &request, writer.get(), queue, queue, this);
  }
  void advance(bool ok) {
    if (!ok || is_answering) return wait();
    is_answering = true;
    grpc::Status status = update(request, &response);
    writer->Finish(response, status, this);
  }
};

}  // namespace

int main(int count, char **arguments) {
  if (count < 3) return 1;
  grpc::ServerBuilder builder;
  builder.AddListeningPort(std::string("127.0.0.1:") + arguments[1], grpc::InsecureServerCredentials());
  if (std::string(arguments[2]) == "callback") {
    Callback service;
    builder.RegisterService(&service);
    auto server = builder.BuildAndStart();
    if (!server) return 1;
    server->Wait();
    return 0;
  }
  SettingsService::AsyncService service;
  builder.RegisterService(&service);
  auto queue = builder.AddCompletionQueue();
  auto server = builder.BuildAndStart();
  if (!server) return 1;
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < 1024; i++) {
    calls.push_back(std::make_unique<Call>());
    calls.back()->service = &service;
    calls.back()->queue = queue.get();
    calls.back()->wait();
  }
  void *tag;
  bool ok;
  while (queue->Next(&tag, &ok)) static_cast<Call *>(tag)->advance(ok);
}
