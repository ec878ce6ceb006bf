// Loads a gRPC server with the call of update.proto: a closed loop of CONNECTIONS channels with DEPTH calls in flight.
// Prints one JSON object with the same names as lg's.
// usage: load PORT CONNECTIONS DEPTH SECONDS WARM SERVER_PID [THREADS]
// THREADS: a file with ids of 16 bytes, four for each connection; without it they are made up.
#include <dirent.h>
#include <grpcpp/grpcpp.h>
#include <stdio.h>
#include <stdlib.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "update.grpc.pb.h"

using namespace heddle::v1;
using Clock = std::chrono::steady_clock;

namespace {

// The server's CPU in nanoseconds: what the scheduler has given to each of its threads.
double server_cpu(int pid) {
  std::string folder = "/proc/" + std::to_string(pid) + "/task";
  double sum = 0;
  DIR *tasks = opendir(folder.c_str());
  if (!tasks) return 0;
  while (dirent *entry = readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    if (FILE *file = fopen((folder + "/" + entry->d_name + "/schedstat").c_str(), "r")) {
      unsigned long long ran = 0;
      if (fscanf(file, "%llu", &ran) == 1) sum += static_cast<double>(ran);
      fclose(file);
    }
  }
  closedir(tasks);
  return sum;
}

struct Connection {
  std::unique_ptr<SettingsService::Stub> stub;
  std::vector<std::string> threads;
  uint64_t next = 0;
};

struct Call {
  Connection *connection;
  std::unique_ptr<grpc::ClientContext> context;
  std::unique_ptr<grpc::ClientAsyncResponseReader<UpdateSettingsResponse>> reader;
  UpdateSettingsRequest request;
  UpdateSettingsResponse response;
  grpc::Status status;
  Clock::time_point began;

  void begin(grpc::CompletionQueue *queue) {
    context = std::make_unique<grpc::ClientContext>();
    uint64_t number = connection->next++;
    request.set_thread(connection->threads[number % connection->threads.size()]);
    request.mutable_change()->mutable_mode()->set_set(1 + number / connection->threads.size() % 2);
    began = Clock::now();
    reader = connection->stub->AsyncUpdate(context.get(), request, queue);
    reader->Finish(&response, &status, this);
  }
};

}  // namespace

int main(int count, char **arguments) {
  if (count < 7) return 1;
  int connections = atoi(arguments[2]), depth = atoi(arguments[3]), pid = atoi(arguments[6]);
  std::chrono::duration<double> seconds(atof(arguments[4])), warm(atof(arguments[5]));
  std::string given;
  if (count > 7) {
    std::ifstream file(arguments[7], std::ios::binary);
    given.assign(std::istreambuf_iterator<char>(file), {});
    if (given.size() < 64 * size_t(connections)) return 1;
  }
  grpc::CompletionQueue queue;
  std::vector<Connection> all(connections);
  std::vector<std::unique_ptr<Call>> calls;
  for (int i = 0; i < connections; i++) {
    grpc::ChannelArguments options;
    options.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);  // a connection each, not one for all
    all[i].stub = SettingsService::NewStub(grpc::CreateCustomChannel(
        std::string("127.0.0.1:") + arguments[1], grpc::InsecureChannelCredentials(), options));
    for (int k = 0; k < 4; k++) {
      std::string id(16, 'x');
      snprintf(id.data(), 16, "%07d-%07d", i, k);
      all[i].threads.push_back(given.empty() ? id : given.substr(16 * (4 * i + k), 16));
    }
    for (int k = 0; k < depth; k++) {
      calls.push_back(std::make_unique<Call>());
      calls.back()->connection = &all[i];
      calls.back()->begin(&queue);
    }
  }
  auto start = Clock::now();
  auto from = start + std::chrono::duration_cast<Clock::duration>(warm);
  auto until = from + std::chrono::duration_cast<Clock::duration>(seconds);
  bool measuring = false;
  double cpu = 0;
  uint64_t errors = 0, unchanged = 0, bytes = 0;
  std::vector<double> times;
  times.reserve(1 << 20);
  void *tag;
  bool ok;
  while (queue.Next(&tag, &ok)) {
    Call *call = static_cast<Call *>(tag);
    auto now = Clock::now();
    if (now >= until) break;
    if (!measuring && now >= from) {
      measuring = true;
      from = now;
      cpu = server_cpu(pid);
    }
    if (!ok || !call->status.ok()) errors++;
    // Calls on one connection may overtake each other, so now and then a mode is set that holds already.
    if (measuring && !call->response.changed()) unchanged++;
    if (measuring) times.push_back(std::chrono::duration<double, std::micro>(now - call->began).count());
    if (!bytes) bytes = call->response.ByteSizeLong();
    call->begin(&queue);
  }
  double passed = std::chrono::duration<double>(Clock::now() - from).count();
  cpu = server_cpu(pid) - cpu;
  std::sort(times.begin(), times.end());
  auto at = [&](double part) {
    return times.empty() ? 0 : times[std::min(times.size() - 1, size_t(part * times.size()))];
  };
  double n = times.size();
  printf("{\"n\":%.0f,\"rps\":%.1f,\"p50_us\":%.2f,\"p99_us\":%.2f,\"srv_ns_req\":%.1f,\"errors\":%lu,\"mismatch\":0,"
         "\"unchanged\":%lu,\"resp_bytes\":%lu}\n",
         n, n / passed, at(0.5), at(0.99), n ? cpu / n : 0, errors, unchanged, bytes);
  fflush(stdout);
  _Exit(0);  // calls are still in flight
}
