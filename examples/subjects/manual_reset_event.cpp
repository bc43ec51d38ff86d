// An event: wait() blocks while it is not set. Its state is one word, the list of those who wait and the bit
// that says "set", changed by compare and swap.
//
// Fault A of the Line-Up paper (figure 9): the new word is computed from a second read of the state. When
// the event is set and reset in between, the swap succeeds and stores "set" together with a waiter, whom
// no later set() will wake.
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include <plumb/plumb.hpp>

template <bool kReadsTwice>
class ManualResetEvent {
 public:
  void set() {
    std::uintptr_t seen = state_.load();
    do {
      if ((seen & kSet) != 0) return;
    } while (!state_.compare_exchange_weak(seen, kSet));
    for (auto* waiter = reinterpret_cast<Waiter*>(seen); waiter != nullptr;) {
      Waiter* const next = waiter->next;  // once woken, the waiter is gone
      waiter->wake();
      waiter = next;
    }
  }

  void reset() { state_.fetch_and(~kSet); }

  bool is_set() const { return (state_.load() & kSet) != 0; }

  void wait() {
    Waiter me;
    std::uintptr_t seen = state_.load();
    std::uintptr_t with_me = 0;
    do {
      if ((seen & kSet) != 0) return;
      me.next = reinterpret_cast<Waiter*>(seen);
      const std::uintptr_t bit = (kReadsTwice ? state_.load() : seen) & kSet;
      with_me = reinterpret_cast<std::uintptr_t>(&me) | bit;
    } while (!state_.compare_exchange_weak(seen, with_me));
    me.sleep();
  }

 private:
  struct Waiter {
    Waiter* next = nullptr;
    std::mutex mutex;
    std::condition_variable changed;
    bool woken = false;

    void wake() {
      const std::lock_guard lock(mutex);
      woken = true;
      changed.notify_one();
    }
    void sleep() {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return woken; });
    }
  };
  static constexpr std::uintptr_t kSet = 1;

  std::atomic<std::uintptr_t> state_{0};
};

template <class Event>
void define(plumb::Test<Event>& test) {
  test.operation("set", &Event::set);
  test.operation("wait", &Event::wait);
  test.operation("reset", &Event::reset);
  test.operation("is_set", &Event::is_set);
}

using CorrectEvent = ManualResetEvent<false>;
using DoubleReadEvent = ManualResetEvent<true>;
PLUMB_TEST(CorrectEvent, test) { define(test); }
PLUMB_TEST(DoubleReadEvent, test) { define(test); }

// The test of the paper's figure 9.
using Figure9 = ManualResetEvent<true>;
PLUMB_TEST(Figure9, test) {
  using plumb::call;
  define(test);
  test.scenario({{call("wait")}, {call("set"), call("reset"), call("set")}});
}
