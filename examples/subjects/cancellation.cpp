// Cancellation: cancel() runs what was registered with on_cancel(), and whatever is registered later runs at
// once. What is registered here counts how often it ran.
//
// The fault: on_cancel() looks whether it is cancelled before it takes the lock; what comes too late
// for cancel() never runs.
#include <atomic>
#include <functional>
#include <mutex>
#include <vector>

#include <plumb/plumb.hpp>

template <bool kLooksTooEarly>
class CancellationSource {
 public:
  // False when it was cancelled before.
  bool cancel() {
    const std::lock_guard lock(mutex_);
    if (cancelled_) return false;
    cancelled_ = true;
    for (const auto& act : registered_) act();
    registered_.clear();
    return true;
  }

  void on_cancel() {
    const auto act = [this] { ++ran_; };
    std::unique_lock lock(mutex_, std::defer_lock);
    if (!kLooksTooEarly) lock.lock();
    if (cancelled_) {
      act();
      return;
    }
    if (kLooksTooEarly) lock.lock();
    registered_.emplace_back(act);
  }

  bool is_cancelled() const { return cancelled_; }
  int ran() {
    const std::lock_guard lock(mutex_);
    return ran_;
  }

 private:
  std::mutex mutex_;
  std::atomic<bool> cancelled_{false};
  std::atomic<int> ran_{0};
  std::vector<std::function<void()>> registered_;
};

template <class Source>
void define(plumb::Test<Source>& test) {
  test.operation("cancel", &Source::cancel);
  test.operation("on_cancel", &Source::on_cancel);
  test.operation("is_cancelled", &Source::is_cancelled);
  test.operation("ran", &Source::ran);
}

using CorrectCancellation = CancellationSource<false>;
using NeverRunsCancellation = CancellationSource<true>;
PLUMB_TEST(CorrectCancellation, test) { define(test); }
PLUMB_TEST(NeverRunsCancellation, test) { define(test); }
