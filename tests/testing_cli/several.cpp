// Several tests in one program: what was run for the first, in this process, must not disturb
// the workers of the second.
#include <plumb/plumb.hpp>

#include <atomic>

template <class>  // debug information of some size
class Counter {
 public:
  int add() {
    const int old = sum_.load();
    sum_.store(old + 1);
    return old;
  }
  int get() const { return sum_; }
  void add_plainly(int n) { plain_ += n; }

 private:
  std::atomic<int> sum_{0};
  int plain_ = 0;
};

using LosesUpdates = Counter<int>;
PLUMB_TEST(LosesUpdates, test) {
  test.operation("add", &LosesUpdates::add);
  test.operation("get", &LosesUpdates::get);
}

struct Racy : LosesUpdates {};
PLUMB_TEST(Racy, test) { test.operation("add_plainly", &Racy::add_plainly, plumb::values(1, 2)); }
