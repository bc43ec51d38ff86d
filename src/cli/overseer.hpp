// Looks at the work of other threads, many times per second: for limits that must hold whatever these are
// doing.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace plumb::cli {

class Overseer {
 public:
  // `look` is called on another thread, until this object is gone.
  explicit Overseer(std::function<void()> look);
  ~Overseer();
  Overseer(const Overseer&) = delete;
  Overseer& operator=(const Overseer&) = delete;

 private:
  void watch();

  std::function<void()> look_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool is_over_ = false;
  std::thread thread_;
};

// Bytes of memory that this process has now; 0 where the system does not say.
[[nodiscard]] std::size_t memory_in_use();

}  // namespace plumb::cli
