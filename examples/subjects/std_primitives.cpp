// What the standard library brings along, as it comes with the compiler.
#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <semaphore>
#include <stop_token>

#include <plumb/plumb.hpp>

// This finds a fault of libstdc++ 12, with two threads: acquire() sleeps until the count is no longer
// what it was before acquire() tried to take a permit. If the count went to zero and came back
// meanwhile, the wake-up is missed:
//   release(1) acquire() | acquire() release(1)
struct StdSemaphore {
  std::counting_semaphore<8> semaphore{0};
  void release(int permits) { semaphore.release(permits); }
  void acquire() { semaphore.acquire(); }
  bool try_acquire() { return semaphore.try_acquire(); }
};
PLUMB_TEST(StdSemaphore, test) {
  test.operation("release", &StdSemaphore::release, plumb::values(1, 2));
  test.operation("acquire", &StdSemaphore::acquire);
  test.operation("try_acquire", &StdSemaphore::try_acquire);
}

// A latch must not be counted below zero: the scenarios are given.
struct StdLatch {
  std::latch latch{2};
  void count_down() { latch.count_down(); }
  bool try_wait() { return latch.try_wait(); }
  void wait() { latch.wait(); }
};
PLUMB_TEST(StdLatch, test) {
  using plumb::call;
  test.operation("count_down", &StdLatch::count_down);
  test.operation("try_wait", &StdLatch::try_wait);
  test.operation("wait", &StdLatch::wait);
  test.scenario({{call("count_down"), call("try_wait")}, {call("count_down"), call("wait")}});
  test.scenario({{call("count_down"), call("wait")}, {call("try_wait"), call("wait")}});
  test.scenario({{call("count_down")}, {call("count_down")}, {call("wait"), call("try_wait")}});
}

// The wait of an atomic: a flag.
struct StdAtomicFlag {
  std::atomic<bool> flag{false};
  void set() {
    flag = true;
    flag.notify_all();
  }
  void clear() { flag = false; }
  bool get() const { return flag; }
  void wait() const { flag.wait(false); }
};
PLUMB_TEST(StdAtomicFlag, test) {
  test.operation("set", &StdAtomicFlag::set);
  test.operation("clear", &StdAtomicFlag::clear);
  test.operation("get", &StdAtomicFlag::get);
  test.operation("wait", &StdAtomicFlag::wait);
}

// Set twice, it throws.
struct StdPromise {
  std::promise<int> promise;
  std::shared_future<int> future = promise.get_future().share();
  void set_value(int value) { promise.set_value(value); }
  int get() const { return future.get(); }
  bool is_ready() const { return future.wait_for(std::chrono::seconds(0)) == std::future_status::ready; }
};
PLUMB_TEST(StdPromise, test) {
  test.operation("set_value", &StdPromise::set_value, plumb::values(1, 2));
  test.operation("get", &StdPromise::get);
  test.operation("is_ready", &StdPromise::is_ready);
}

struct StdStopSource {
  std::stop_source source;
  bool request_stop() { return source.request_stop(); }
  bool stop_requested() const { return source.stop_requested(); }
};
PLUMB_TEST(StdStopSource, test) {
  test.operation("request_stop", &StdStopSource::request_stop);
  test.operation("stop_requested", &StdStopSource::stop_requested);
}

struct StdAtomicSharedPtr {
  std::atomic<std::shared_ptr<int>> pointer{std::make_shared<int>(0)};
  void store(int value) { pointer.store(std::make_shared<int>(value)); }
  int load() const { return *pointer.load(); }
  int exchange(int value) { return *pointer.exchange(std::make_shared<int>(value)); }
};
PLUMB_TEST(StdAtomicSharedPtr, test) {
  test.operation("store", &StdAtomicSharedPtr::store, plumb::values(1, 2));
  test.operation("load", &StdAtomicSharedPtr::load);
  test.operation("exchange", &StdAtomicSharedPtr::exchange, plumb::values(1));
}

// A phase ends with the second that arrives, whoever that is. Who has only arrived does not know when the next one begins, and must not arrive
// again: the scenarios are given.
struct StdBarrier {
  struct Count {
    int* phases;
    void operator()() const noexcept { ++*phases; }
  };
  int phases = 0;  // guarded by the barrier
  std::barrier<Count> barrier{2, Count{&phases}};
  void arrive() { static_cast<void>(barrier.arrive()); }
  int arrive_and_wait() {
    barrier.arrive_and_wait();
    return phases;
  }
};
PLUMB_TEST(StdBarrier, test) {
  using plumb::call;
  test.operation("arrive", &StdBarrier::arrive);
  test.operation("arrive_and_wait", &StdBarrier::arrive_and_wait);
  test.scenario({{call("arrive")}, {call("arrive_and_wait")}});
  test.before(call("arrive"));
  test.before(call("arrive"));
}

struct StdMutex {
  std::mutex mutex;
  int count = 0;
  int add() {
    const std::lock_guard lock(mutex);
    return ++count;
  }
  int try_add() {
    const std::unique_lock lock(mutex, std::try_to_lock);
    return lock ? ++count : 0;
  }
};
PLUMB_TEST(StdMutex, test) {
  test.operation("add", &StdMutex::add);
  test.operation("try_add", &StdMutex::try_add).may_fail_when_contended(0);
}
