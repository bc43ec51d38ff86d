// The line that says how far a long run is: on a terminal from the first second on; elsewhere, for who reads
// it later, after ten seconds, twenty more, forty more.
#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "cli/console.hpp"

namespace plumb::cli {

class Progress {
 public:
  // `compose` makes the line; it is called from another thread.
  Progress(Console& console, bool wanted, std::function<std::string()> compose);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

 private:
  void tick();
  void write_lines();

  Console& console_;
  std::function<std::string()> compose_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread ticker_;
};

}  // namespace plumb::cli
