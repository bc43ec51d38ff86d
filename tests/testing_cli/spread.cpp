// Tests whose scenarios are handed out to ranks, or to shards: one class is right, one loses updates.
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
