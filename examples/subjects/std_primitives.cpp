// What the standard library brings along, as it comes with the compiler.
#include <atomic>
#include <future>
#include <latch>
#include <semaphore>
#include <stop_token>

#include <plumb/plumb.hpp>

// With three threads this finds a fault of libstdc++ 12: acquire() sleeps until the count is no longer
// what it was before acquire() tried to take a permit. If the count went to zero and came back
// meanwhile, the wake-up is missed:
//   release(2) acquire() | acquire() | acquire() try_acquire() release(1)
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
