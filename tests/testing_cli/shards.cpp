// Tests whose scenarios are shared by shards: one class is right, one loses updates, one uses orders that are weaker than
// seq_cst.
#include <atomic>
#include <mutex>

#include <plumb/test.hpp>

struct Right {
  std::mutex mutex;
  int total = 0;
  int add(int n) {
    const std::scoped_lock lock(mutex);
    return total += n;
  }
  int read() {
    const std::scoped_lock lock(mutex);
    return total;
  }
};

PLUMB_TEST(Right, test) {
  test.operation("add", &Right::add, plumb::values(1, 2));
  test.operation("read", &Right::read);
}

struct Loses {
  std::mutex mutex;
  int total = 0;
  void add(int n) {
    int before = 0;
    {
      const std::scoped_lock lock(mutex);
      before = total;
    }
    const std::scoped_lock lock(mutex);
    total = before + n;
  }
  int read() {
    const std::scoped_lock lock(mutex);
    return total;
  }
};

PLUMB_TEST(Loses, test) {
  test.operation("read", &Loses::read);
  test.operation("add", &Loses::add, plumb::values(1, 2));
}

struct Counter {
  std::atomic<int> total = 0;
  int add() { return total.fetch_add(1, std::memory_order_acq_rel); }
  int read() { return total.load(std::memory_order_acquire); }
};

PLUMB_TEST(Counter, test) {
  test.operation("add", &Counter::add);
  test.operation("read", &Counter::read);
}
