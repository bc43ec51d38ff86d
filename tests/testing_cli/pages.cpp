// Classes that fail in different ways, each for a page to look at: see tests/report/browser/test.test.mjs.
#include <atomic>
#include <mutex>

#include <plumb/plumb.hpp>

// Two threads may read the same number.
class Counter {
 public:
  int increment() {
    const int seen = count_.load(std::memory_order_relaxed);
    count_.store(seen + 1, std::memory_order_release);
    return seen + 1;
  }

 private:
  std::atomic<int> count_{0};
};
PLUMB_TEST(Counter, test, "lost </script><b>") { test.operation("increment", &Counter::increment); }

class Flag {
 public:
  void set(int to) { value_ = to; }
  int get() const { return value_; }

 private:
  int value_ = 0;
};
PLUMB_TEST(Flag, test, "race") {
  test.operation("set", &Flag::set, plumb::values(1));
  test.operation("get", &Flag::get);
}

class Accounts {
 public:
  void there() {
    const std::lock_guard first(a_);
    const std::lock_guard second(b_);
  }
  void back() {
    const std::lock_guard first(b_);
    const std::lock_guard second(a_);
  }

 private:
  std::mutex a_;
  std::mutex b_;
};
PLUMB_TEST(Accounts, test, "deadlock") {
  test.operation("there", &Accounts::there);
  test.operation("back", &Accounts::back);
}

// Nothing orders the two stores: who sees that there is a letter may not see what is in it.
class Mailbox {
 public:
  void put(int letter) {
    letter_.store(letter, std::memory_order_relaxed);
    full_.store(true, std::memory_order_relaxed);
  }
  int get() {
    if (!full_.load(std::memory_order_acquire)) return -1;
    return letter_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<int> letter_{0};
  std::atomic<bool> full_{false};
};
PLUMB_TEST(Mailbox, test, "weak") {
  test.operation("put", &Mailbox::put, plumb::values(1));
  test.operation("get", &Mailbox::get);
}

// The fences pass on what was stored before the first of them; the copy is stored behind it.
class FencedMailbox {
 public:
  void put(int letter) {
    letter_.store(letter, std::memory_order_relaxed);
    std::atomic_thread_fence(std::memory_order_release);
    copy_.store(letter, std::memory_order_relaxed);
    full_.store(true, std::memory_order_relaxed);
  }
  int get() {
    if (!full_.load(std::memory_order_relaxed)) return -1;
    std::atomic_thread_fence(std::memory_order_acquire);
    return letter_.load(std::memory_order_relaxed) + copy_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<int> letter_{0};
  std::atomic<int> copy_{0};
  std::atomic<bool> full_{false};
};
PLUMB_TEST(FencedMailbox, test, "fences") {
  test.operation("put", &FencedMailbox::put, plumb::values(1));
  test.operation("get", &FencedMailbox::get);
}
