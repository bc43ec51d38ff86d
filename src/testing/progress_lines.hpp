// How far a long run is, for a reader later on: where standard error is no terminal, a line after ten seconds, twenty more, forty
// more, and so on.
#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace plumb::testing {

class ProgressLines {
 public:
  // `line`: what is said until something is told.
  explicit ProgressLines(std::string line);
  ~ProgressLines();
  ProgressLines(const ProgressLines&) = delete;
  ProgressLines& operator=(const ProgressLines&) = delete;

  void tell(const std::string& line);  // that is the present one

 private:
  void live();

  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::string line_;
  std::thread thread_;
};

}  // namespace plumb::testing
