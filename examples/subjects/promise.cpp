// A promise: it gets a result or is cancelled, once; wait() blocks until then. One atomic holds its outcome.
//
// Faults in the manner of the Line-Up paper's TaskCompletionSource:
//   F  it is looked whether there is a result, and then set: two may both believe that theirs counts
//   G  that it is done is said before the result is there
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stdexcept>

#include <plumb/plumb.hpp>

enum class Fault { kNone, kSetTwice, kDoneTooEarly };

template <Fault kFault>
class Promise {
 public:
  bool try_set_result(int value) { return finish(value); }
  void set_result(int value) {
    if (!finish(value)) throw std::logic_error("done already");
  }
  bool try_cancel() { return finish(kCancelled); }

  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return state_.load() != kOpen; });
  }
  bool is_cancelled() const { return state_.load() == kCancelled; }

  std::optional<int> result() const {
    const int seen = state_.load();
    if (seen == kOpen || seen == kCancelled) return std::nullopt;
    return seen;
  }

 private:
  static constexpr int kOpen = -1;
  static constexpr int kCancelled = -2;
  static constexpr int kDone = 0;  // with a result to follow

  bool finish(int outcome) {
    int seen = kOpen;
    if constexpr (kFault == Fault::kSetTwice) {
      if (state_.load() != kOpen) return false;
      state_.store(outcome);
    } else if constexpr (kFault == Fault::kDoneTooEarly) {
      if (!state_.compare_exchange_strong(seen, kDone)) return false;
      state_.store(outcome);
    } else {
      if (!state_.compare_exchange_strong(seen, outcome)) return false;
    }
    const std::lock_guard lock(mutex_);  // nobody is between looking at the state and sleeping
    done_.notify_all();
    return true;
  }

  std::atomic<int> state_{kOpen};
  std::mutex mutex_;
  std::condition_variable done_;
};

template <class Subject>
void define(plumb::Test<Subject>& test) {
  test.operation("try_set_result", &Subject::try_set_result, plumb::values(1, 2));
  test.operation("set_result", &Subject::set_result, plumb::values(1, 2));
  test.operation("try_cancel", &Subject::try_cancel);
  test.operation("wait", &Subject::wait);
  test.operation("is_cancelled", &Subject::is_cancelled);
  test.operation("result", &Subject::result);
}

using CorrectPromise = Promise<Fault::kNone>;
using SetTwicePromise = Promise<Fault::kSetTwice>;
using DoneTooEarlyPromise = Promise<Fault::kDoneTooEarly>;
PLUMB_TEST(CorrectPromise, test) { define(test); }
PLUMB_TEST(SetTwicePromise, test) { define(test); }
PLUMB_TEST(DoneTooEarlyPromise, test) { define(test); }
