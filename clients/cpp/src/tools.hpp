#pragma once

#include "apart.hpp"
#include "connection.hpp"

#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace heddle::detail {

// The server asks every connection that follows the thread, and asks again after a lost one. A call is known by its id, so the
// function runs once; its result goes to all places where it was asked for.
class tools {
 public:
  tools(const heddle::options& chosen, asio::any_io_executor executor);

  std::vector<std::string> features() const;
  // True: HELLO has to say more than before.
  bool add(std::string name, tool_function function);
  bool ask_with(question_function function);

  void asked(core& client, const std::shared_ptr<connection>& from, std::uint32_t stream, std::uint16_t number, std::string_view payload);
  void taken_back(const std::shared_ptr<connection>& from, std::uint32_t stream);
  // Ends all that run.
  void stop();

 private:
  struct place {
    std::shared_ptr<connection> conn;
    std::uint32_t stream;
  };

  // A call that runs, or has a result.
  struct run {
    std::vector<place> places;
    bool is_stopped = false;
    bool is_done = false;
    frame_kind kind = frame_kind::response;
    std::string payload;
    // The call has ended, or was stopped.
    signal changed;
  };

  // The work of a call: the bytes of its answer.
  struct job {
    std::uint16_t number = 0;
    std::string key;
    std::int64_t deadline = 0;
    asio::awaitable<std::string> work;
  };

  bool read_tool(std::string_view payload, job& into);
  bool read_question(std::string_view payload, job& into);
  void begin(core& client, const std::shared_ptr<connection>& from, std::uint32_t stream, job work);
  void forget_old();
  void stop(run& one);
  static asio::awaitable<void> serve(core_pointer client, std::shared_ptr<run> own, std::shared_ptr<connection> from, job work);
  void settle(run& own, const connection& from, std::uint16_t number, std::string failure, bool is_late);

  asio::any_io_executor executor_;
  std::size_t at_once_;
  std::size_t running_ = 0;
  signal room_;
  bool is_stopped_ = false;
  std::map<std::string, tool_function> by_name_;
  question_function question_;
  std::map<std::string, std::shared_ptr<run>> runs_;
  std::deque<std::string> order_;
};

}  // namespace heddle::detail
