// A counting semaphore of a lock and a condition variable.
//
// The fault: release(2) wakes one waiter, and the second waits on although there is a permit for it.
#include <condition_variable>
#include <mutex>

#include <plumb/plumb.hpp>

template <bool kWakesOne>
class Semaphore {
 public:
  // What the count was.
  int release(int permits) {
    const std::lock_guard lock(mutex_);
    const int before = count_;
    count_ += permits;
    if (kWakesOne) {
      raised_.notify_one();
    } else {
      for (int i = 0; i < permits; ++i) raised_.notify_one();
    }
    return before;
  }

  void wait() {
    std::unique_lock lock(mutex_);
    raised_.wait(lock, [&] { return count_ > 0; });
    --count_;
  }

  bool try_wait() {
    const std::lock_guard lock(mutex_);
    if (count_ == 0) return false;
    --count_;
    return true;
  }

  int current_count() {
    const std::lock_guard lock(mutex_);
    return count_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable raised_;
  int count_ = 0;
};

template <class Subject>
void define(plumb::Test<Subject>& test) {
  test.operation("release", &Subject::release, plumb::values(1, 2));
  test.operation("wait", &Subject::wait);
  test.operation("try_wait", &Subject::try_wait);
  test.operation("current_count", &Subject::current_count);
}

using CorrectSemaphore = Semaphore<false>;
using WakesOneSemaphore = Semaphore<true>;
PLUMB_TEST(CorrectSemaphore, test) { define(test); }
PLUMB_TEST(WakesOneSemaphore, test) { define(test); }
