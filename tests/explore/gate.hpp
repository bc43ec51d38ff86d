// What some threads wait for and another one says: a flag, a mutex and a condition variable, used as they should be.
#pragma once

#include <condition_variable>
#include <mutex>

namespace plumb_tests {

struct Gate {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;

  void wait() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  }
  void open() {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_one();
  }
};

}  // namespace plumb_tests
