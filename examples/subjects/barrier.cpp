// A barrier for two: who arrives waits for the other. It works as intended, and is not linearizable (L in the
// Line-Up paper): alone, arrive_and_wait() blocks without a trace; here two at once return, and others see
// who has arrived. No serial run does that.
#include <condition_variable>
#include <mutex>

#include <plumb/plumb.hpp>

class Barrier {
 public:
  void arrive_and_wait() {
    std::unique_lock lock(mutex_);
    const int mine = phase_;
    if (++arrived_ == kParticipants) {
      arrived_ = 0;
      ++phase_;
      next_phase_.notify_all();
    } else {
      next_phase_.wait(lock, [&] { return phase_ != mine; });
    }
  }

  int phase() {
    const std::lock_guard lock(mutex_);
    return phase_;
  }

  int remaining() {
    const std::lock_guard lock(mutex_);
    return kParticipants - arrived_;
  }

 private:
  static constexpr int kParticipants = 2;

  std::mutex mutex_;
  std::condition_variable next_phase_;
  int arrived_ = 0;
  int phase_ = 0;
};

PLUMB_TEST(Barrier, test) {
  test.operation("arrive_and_wait", &Barrier::arrive_and_wait);
  test.operation("phase", &Barrier::phase);
  test.operation("remaining", &Barrier::remaining);
}
