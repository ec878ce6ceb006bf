// gRPC's C++ client (Debian's libgrpc++-dev), by its callback interface, the fastest that it has: see README.md.
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>

#include "heddle/v1/settings.grpc.pb.h"

namespace {

double cpu() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](timeval time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

struct Call {
  std::unique_ptr<grpc::ClientContext> context;
  heddle::v1::ReadSettingsRequest request;
  heddle::v1::ReadSettingsResponse response;
};

}  // namespace

int main(int, char** words) {
  std::string thread;
  for (const char* at = words[3]; *at; at++) {
    if (*at == '-') continue;
    thread.push_back(char(std::stoi(std::string(at, 2), nullptr, 16)));
    at++;
  }
  const long depth = std::atol(words[4]), count = std::atol(words[5]);
  auto channel = grpc::CreateChannel(words[2], grpc::InsecureChannelCredentials());
  auto stub = heddle::v1::SettingsService::NewStub(channel);
  const auto all = [&](long number) {
    std::atomic<long> left{number}, running{depth};
    std::mutex lock;
    std::condition_variable done;
    std::vector<Call> calls(static_cast<size_t>(depth));
    std::function<void(Call*)> next = [&](Call* call) {
      if (left.fetch_sub(1) <= 0) {
        std::lock_guard<std::mutex> guard(lock);
        if (running.fetch_sub(1) == 1) done.notify_one();
        return;
      }
      call->context = std::make_unique<grpc::ClientContext>();
      call->context->set_deadline(std::chrono::system_clock::now() + std::chrono::seconds(30));
      call->request.set_thread(thread);
      stub->async()->Read(call->context.get(), &call->request, &call->response, [&next, call](grpc::Status status) {
        if (!status.ok()) std::abort();
        next(call);
      });
    };
    for (auto& call : calls) next(&call);
    std::unique_lock<std::mutex> guard(lock);
    done.wait(guard, [&] { return running.load() == 0; });
  };
  all(count / 10);
  const auto began = std::chrono::steady_clock::now();
  const double used = cpu();
  all(count);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::printf("{\"cpu\":%g,\"seconds\":%g}\n", cpu() - used, took.count());
}
