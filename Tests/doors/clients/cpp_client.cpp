// Calls of gRPC C++ (Debian's libgrpc++-dev): one JSON object a line in and out, see ../lines.py.
//
//   cpp_client SCHEMA ADDRESS
//
// Messages are made from the descriptor set, so the program has no generated code. Each call has a thread.

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstring>
#include <fstream>
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <thread>

namespace pb = google::protobuf;
using Fields = pb::Map<std::string, pb::Value>;

static pb::DescriptorPool pool;
static pb::DynamicMessageFactory factory(&pool);
static std::shared_ptr<grpc::Channel> channel;
static std::mutex output;

static const char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static std::string base64(const std::string &raw) {
  std::string text;
  for (size_t at = 0; at < raw.size(); at += 3) {
    uint32_t bits = 0;
    for (size_t i = 0; i < 3; i++) bits = bits << 8 | (at + i < raw.size() ? (unsigned char)raw[at + i] : 0);
    for (size_t i = 0; i < 4; i++) text += at + i <= raw.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

static std::string unbase64(const std::string &text) {
  std::string raw;
  uint32_t bits = 0;
  int count = 0;
  for (char digit : text) {
    const char *place = strchr(kDigits, digit);
    if (digit == '=' || !place) break;
    bits = bits << 6 | uint32_t(place - kDigits);
    if ((count += 6) >= 8) raw += char(bits >> (count -= 8) & 255);
  }
  return raw;
}

static bool binary(const std::string &name) { return name.size() > 4 && name.compare(name.size() - 4, 4, "-bin") == 0; }

static std::string json(const pb::Message &message, bool fields_as_in_proto = true) {
  std::string text;
  pb::util::JsonPrintOptions options;
  options.preserve_proto_field_names = fields_as_in_proto;
  if (!pb::util::MessageToJsonString(message, &text, options).ok()) abort();
  return text;
}

static void say(const std::string &line) {
  std::lock_guard<std::mutex> guard(output);
  std::cout << line << std::endl;
}

// A call that runs. It may take `allowed` more messages; below 0 as many as come.
struct Call {
  int number;
  std::string method;
  std::vector<grpc::ByteBuffer> requests;
  const pb::MethodDescriptor *described;
  grpc::ClientContext context;
  std::mutex lock;
  std::condition_variable more;
  int allowed = -1;

  void wait() {
    std::unique_lock<std::mutex> guard(lock);
    more.wait(guard, [this] { return allowed != 0; });
    if (allowed > 0) allowed--;
  }

  void told(const grpc::ByteBuffer &bytes) {
    std::unique_ptr<pb::Message> answer(factory.GetPrototype(described->output_type())->New());
    std::vector<grpc::Slice> slices;
    std::string raw;
    if (!bytes.Dump(&slices).ok()) abort();
    for (auto &slice : slices) raw.append((const char *)slice.begin(), slice.size());
    if (!answer->ParseFromString(raw)) abort();
    say("{\"call\":" + std::to_string(number) + ",\"message\":" + json(*answer) + "}");
  }

  template <class M> static void put(pb::Struct &into, const M &metadata) {
    for (auto &pair : metadata) {
      std::string name(pair.first.data(), pair.first.size()), value(pair.second.data(), pair.second.size());
      (*into.mutable_fields())[name].set_string_value(binary(name) ? base64(value) : value);
    }
  }

  void ended(const grpc::Status &status) {
    pb::Struct line;
    auto &fields = *line.mutable_fields();
    fields["call"].set_number_value(number);
    fields["code"].set_number_value(status.error_code());
    fields["text"].set_string_value(status.error_message());
    put(*fields["headers"].mutable_struct_value(), context.GetServerInitialMetadata());
    put(*fields["trailers"].mutable_struct_value(), context.GetServerTrailingMetadata());
    say(json(line));
  }

  void run() {
    grpc::GenericStub stub(channel);
    grpc::CompletionQueue queue;
    void *tag;
    bool ok;
    grpc::Status status;
    if (!described->server_streaming()) {
      grpc::ByteBuffer answer;
      auto reader = stub.PrepareUnaryCall(&context, method, requests[0], &queue);
      reader->StartCall();
      reader->Finish(&answer, &status, this);
      queue.Next(&tag, &ok);
      if (status.ok()) told(answer);
      return ended(status);
    }
    auto stream = stub.PrepareCall(&context, method, &queue);
    stream->StartCall(this);
    queue.Next(&tag, &ok);
    for (size_t at = 0; ok && at < requests.size(); at++) {
      grpc::WriteOptions options;
      if (at + 1 == requests.size()) options.set_last_message();
      stream->Write(requests[at], options, this);
      queue.Next(&tag, &ok);
    }
    while (ok) {
      wait();
      grpc::ByteBuffer answer;
      stream->Read(&answer, this);
      queue.Next(&tag, &ok);
      if (ok) told(answer);
    }
    stream->Finish(&status, this);
    queue.Next(&tag, &ok);
    ended(status);
  }
};

static std::map<int, std::shared_ptr<Call>> calls;

static const pb::MethodDescriptor *find(std::string path) {
  for (char &c : path)
    if (c == '/') c = '.';
  auto *found = pool.FindMethodByName(path);
  // A method that no schema has: any message will do.
  return found ? found : pool.FindMethodByName("heddle.v1.ServerService.Status");
}

static void begin(int number, const Fields &fields) {
  auto call = std::make_shared<Call>();
  call->number = number;
  std::string path = fields.at("method").string_value();
  call->method = "/" + path;
  call->described = find(path);
  for (auto &value : fields.at("requests").list_value().values()) {
    std::unique_ptr<pb::Message> request(factory.GetPrototype(call->described->input_type())->New());
    auto parsed = pb::util::JsonStringToMessage(json(value, false), request.get());
    if (!parsed.ok()) {
      std::cerr << parsed.ToString() << std::endl;
      abort();
    }
    grpc::Slice slice(request->SerializeAsString());
    call->requests.emplace_back(&slice, 1);
  }
  if (fields.count("metadata"))
    for (auto &pair : fields.at("metadata").list_value().values()) {
      auto &name = pair.list_value().values(0).string_value(), &value = pair.list_value().values(1).string_value();
      call->context.AddMetadata(name, binary(name) ? unbase64(value) : value);
    }
  if (fields.count("timeout_ms"))
    call->context.set_deadline(std::chrono::system_clock::now() +
                               std::chrono::milliseconds(int(fields.at("timeout_ms").number_value())));
  if (fields.count("read")) call->allowed = int(fields.at("read").number_value());
  calls[number] = call;
  std::thread([call] { call->run(); }).detach();
}

int main(int, char **arguments) {
  pb::FileDescriptorSet set;
  std::ifstream file(arguments[1]);
  if (!set.ParseFromIstream(&file)) abort();
  for (auto &one : set.file())
    if (!pool.BuildFile(one)) abort();
  grpc::ChannelArguments options;
  options.SetMaxReceiveMessageSize(16 << 20);
  channel = grpc::CreateCustomChannel(arguments[2], grpc::InsecureChannelCredentials(), options);
  for (std::string line; std::getline(std::cin, line);) {
    pb::Struct order;
    if (!pb::util::JsonStringToMessage(line, &order).ok()) abort();
    auto &fields = order.fields();
    int number = int(fields.at("call").number_value());
    auto running = calls.find(number);
    if (running == calls.end()) {
      begin(number, fields);
    } else if (fields.count("cancel")) {
      running->second->context.TryCancel();
    } else if (fields.count("read")) {
      std::lock_guard<std::mutex> guard(running->second->lock);
      int read = int(fields.at("read").number_value());
      running->second->allowed = read < 0 ? -1 : running->second->allowed + read;
      running->second->more.notify_one();
    }
  }
  // Calls may still run in their threads.
  std::quick_exit(0);
}
