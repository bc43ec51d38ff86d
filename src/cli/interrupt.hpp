// Ctrl-C and SIGTERM ask the work to end (base/stop_request.hpp); if it has not done so in time, a watchdog
// ends it (a file that is being read, say, cannot be asked).
#pragma once

#include <atomic>
#include <csignal>
#include <functional>
#include <thread>

namespace plumb::cli {

// At most one at a time; by the thread that starts all the others, before it does.
class Interrupt {
 public:
  // `give_up` is called on another thread, some time after a signal, unless this object is gone by then.
  explicit Interrupt(std::function<void()> give_up);
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  [[nodiscard]] static bool requested();
  [[nodiscard]] static const std::atomic<bool>* flag();

 private:
  void watch();

  std::function<void()> give_up_;
  sigset_t mask_before_ = {};
  int signals_ = -1;
  int over_ = -1;  // readable: this object is about to go
  std::thread watchdog_;
};

}  // namespace plumb::cli
