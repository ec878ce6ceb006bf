#pragma once

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <string>

// A server with the scripted model. Bad servers are in the conformance suite.
class server {
 public:
  server() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heddle-cpp-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no folder for the server");
    }
    folder_ = pattern;
    start();
  }
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  ~server() {
    kill();
    std::filesystem::remove_all(folder_);
  }

  void start() {
    int ends[2];
    if (pipe(ends) != 0) {
      throw std::runtime_error("no pipe for the server");
    }
    const char* program = getenv("HEDDLE_BIN");
    const std::string data = folder_ + "/data";
    process_ = fork();
    if (process_ == 0) {
      dup2(ends[1], STDOUT_FILENO);
      close(ends[0]);
      execl(program, program, "serve", "--data", data.c_str(), "--listen", address_.c_str(), "--grpc", "off", "--http", "off", nullptr);
      _exit(1);
    }
    close(ends[1]);
    std::string line;
    char byte = 0;
    while (::read(ends[0], &byte, 1) == 1 && byte != '\n') {
      line += byte;
    }
    close(ends[0]);
    const std::string name = "\"listen\":\"";
    const auto place = line.find(name);
    if (place == std::string::npos) {
      throw std::runtime_error("the server did not start: " + line);
    }
    address_ = line.substr(place + name.size(), line.find('"', place + name.size()) - place - name.size());
  }

  void kill() {
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }

  std::string url() const { return "heddle://" + address_; }

 private:
  std::string folder_;
  std::string address_ = "127.0.0.1:0";
  pid_t process_ = 0;
};
