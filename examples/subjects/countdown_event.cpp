// Counts down from two; wait() returns at zero. The count is one atomic; who waits for zero sleeps.
//
// The fault: signal() reads the count, and stores one less: of two signals at once, one is lost.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <stdexcept>

#include <plumb/plumb.hpp>

template <bool kLosesSignals>
class CountdownEvent {
 public:
  // True for the signal that reaches zero.
  bool signal(int times) {
    int seen = count_.load();
    do {
      if (times > seen) throw std::logic_error("below zero");
      if constexpr (kLosesSignals) {
        count_.store(seen - times);
        break;
      }
    } while (!count_.compare_exchange_weak(seen, seen - times));
    if (seen != times) return false;
    const std::lock_guard lock(mutex_);  // nobody is between looking at the count and sleeping
    zero_.notify_all();
    return true;
  }

  bool try_add_count(int times) {
    int seen = count_.load();
    do {
      if (seen == 0) return false;
    } while (!count_.compare_exchange_weak(seen, seen + times));
    return true;
  }

  // Zero is final: try_add_count() leaves it.
  void wait() {
    std::unique_lock lock(mutex_);
    zero_.wait(lock, [this] { return count_.load() == 0; });
  }

  bool is_set() const { return count_.load() == 0; }
  int current_count() const { return count_.load(); }

 private:
  std::atomic<int> count_{2};
  std::mutex mutex_;
  std::condition_variable zero_;
};

template <class Subject>
void define(plumb::Test<Subject>& test) {
  test.operation("signal", &Subject::signal, plumb::values(1, 2));
  test.operation("try_add_count", &Subject::try_add_count, plumb::values(1, 2));
  test.operation("wait", &Subject::wait);
  test.operation("is_set", &Subject::is_set);
  test.operation("current_count", &Subject::current_count);
}

using CorrectCountdown = CountdownEvent<false>;
using LostSignalCountdown = CountdownEvent<true>;
PLUMB_TEST(CorrectCountdown, test) { define(test); }
PLUMB_TEST(LostSignalCountdown, test) { define(test); }
