// Classes whose members are written without hooks. Races on them are not seen, so that is said.
#include <plumb/plumb.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <future>
#include <map>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>

#include "unhooked.hpp"

namespace {

// A race: store() has no hooks, so nobody can see it.
struct Stored {
  std::mutex mutex_;
  long stamp_ = 0;
  int puts_ = 0;
  int put(int value) {
    unhooked::store(stamp_, value);
    const std::scoped_lock lock(mutex_);
    return ++puts_ > 0 ? 1 : 0;
  }
  int get() {
    const std::scoped_lock lock(mutex_);
    return puts_ >= 0 ? 1 : 0;
  }
};

// A race that clang's hooks see, and those of g++ do not.
struct Returned {
  std::mutex mutex_;
  unhooked::Pair pair_;
  int puts_ = 0;
  int put(int value) {
    pair_ = unhooked::pair(value);
    const std::scoped_lock lock(mutex_);
    return ++puts_ > 0 ? 1 : 0;
  }
};

// The way round it.
struct ByLocal {
  std::mutex mutex_;
  unhooked::Pair pair_;
  int put(int value) {
    const unhooked::Pair pair = unhooked::pair(value);
    pair_ = pair;
    const std::scoped_lock lock(mutex_);
    return 1;
  }
};

long global = 0;
struct Global {
  std::atomic<int> puts_{0};
  int put(int value) {
    unhooked::store(global, value);
    return ++puts_ > 0 ? 1 : 0;
  }
};

// A node that only its own thread knows is nobody else's; one that is handed over is.
struct Private {
  std::atomic<int> puts_{0};
  int put(int value) {
    const std::unique_ptr<long> own(new long);
    ++puts_;
    unhooked::store(*own, value);
    ++puts_;
    return *own == value ? 1 : 0;
  }
};
struct HandedOver {
  std::mutex mutex_;
  std::unique_ptr<long> box_;
  int put(int value) {
    std::unique_ptr<long> own(new long);
    const std::scoped_lock lock(mutex_);
    unhooked::store(*own, value);
    box_ = std::move(own);
    return 1;
  }
  int get() {
    const std::scoped_lock lock(mutex_);
    return box_ == nullptr || *box_ > 0 ? 1 : 0;
  }
};

// All of it has hooks, or is the runtime's: nothing is said.
struct Hooked {
  std::mutex mutex_;
  std::recursive_mutex recursive_;
  std::shared_mutex shared_;
  std::timed_mutex timed_;
  std::condition_variable changed_;
  std::once_flag once_;
  pthread_spinlock_t spin_{};
  std::atomic<long> count_{0};
  std::map<int, std::string> texts_;
  std::unordered_map<int, int> numbers_;
  unhooked::Pair pair_;
  timespec time_{};
  char text_[24] = {};
  int sorted_[3] = {3, 2, 1};

  Hooked() { pthread_spin_init(&spin_, PTHREAD_PROCESS_PRIVATE); }

  int put(int value) {
    static const int one = [] { return 1; }();
    std::call_once(once_, [this] { numbers_[0] = one; });
    const std::scoped_lock locks(mutex_, recursive_, timed_);
    const std::scoped_lock again(recursive_);
    pthread_spin_lock(&spin_);
    texts_[value] = "longer than what a string holds without memory of its own";
    numbers_[value] += 1;
    pthread_spin_unlock(&spin_);
    count_ += value;
    changed_.notify_all();
    return 1;
  }
  int print(int value) {
    const std::unique_lock lock(shared_);
    std::snprintf(text_, sizeof text_, "%d", value);
    std::qsort(sorted_, 3, sizeof(int), [](const void* a, const void* b) {
      return *static_cast<const int*>(a) - *static_cast<const int*>(b);
    });
    clock_gettime(CLOCK_REALTIME, &time_);
    return text_[0];
  }
  int look() {
    const std::shared_lock lock(shared_);
    try {
      if (text_[0] != 0) throw std::runtime_error(text_);
    } catch (const std::runtime_error& error) {
      return error.what()[0] == text_[0] ? 1 : 0;
    }
    return 1;
  }
  int promise() {
    std::promise<int> promise;
    std::thread thread(
        [&promise] { promise.set_exception(std::make_exception_ptr(std::runtime_error("kept"))); });
    int seen = 0;
    try {
      seen = promise.get_future().get();
    } catch (const std::runtime_error&) {
      seen = 1;
    }
    thread.join();
    return seen;
  }
};

PLUMB_TEST(Stored, test) {
  test.operation("put", &Stored::put, plumb::values(1, 2));
  test.operation("get", &Stored::get);
}
PLUMB_TEST(Returned, test) { test.operation("put", &Returned::put, plumb::values(1, 2)); }
PLUMB_TEST(ByLocal, test) { test.operation("put", &ByLocal::put, plumb::values(1, 2)); }
PLUMB_TEST(Global, test) { test.operation("put", &Global::put, plumb::values(1, 2)); }
PLUMB_TEST(Private, test) { test.operation("put", &Private::put, plumb::values(1, 2)); }
PLUMB_TEST(HandedOver, test) {
  test.operation("put", &HandedOver::put, plumb::values(1, 2));
  test.operation("get", &HandedOver::get);
}
PLUMB_TEST(Hooked, test) {
  test.operation("put", &Hooked::put, plumb::values(1, 2));
  test.operation("print", &Hooked::print, plumb::values(1));
  test.operation("look", &Hooked::look);
  test.operation("promise", &Hooked::promise);
}

}  // namespace
