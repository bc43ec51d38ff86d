// A value that is published once, with the orders that this takes, and with one that is too weak.
#include <atomic>
#include <optional>

#include <plumb/plumb.hpp>

template <std::memory_order kPublish>
class Published {
 public:
  void publish() {
    value_.store(1, std::memory_order_relaxed);
    is_there_.store(true, kPublish);
  }
  std::optional<int> read() const {
    if (!is_there_.load(std::memory_order_acquire)) return std::nullopt;
    return value_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<int> value_{0};
  std::atomic<bool> is_there_{false};
};

template <class S>
void publish_and_read(plumb::Test<S>& test) {
  test.operation("publish", &S::publish);
  test.operation("read", &S::read);
}

using Right = Published<std::memory_order_release>;
PLUMB_TEST(Right, test) { publish_and_read(test); }

using TooWeak = Published<std::memory_order_relaxed>;
PLUMB_TEST(TooWeak, test) { publish_and_read(test); }
