// Ctrl-C and SIGTERM: the first asks the work to end; if it has not done so in time, a watchdog ends it (a
// file that is being read, say, cannot be asked); a second signal kills at once.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace plumb::cli {

// At most one at a time.
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
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread watchdog_;
};

}  // namespace plumb::cli
