// A value that is made when it is first asked for. The correct one checks, locks and checks again.
//
// The fault: no lock. Two threads make a value each, and the first of them has returned one
// that is no longer there.
#include <atomic>
#include <mutex>
#include <string>

#include <plumb/plumb.hpp>

template <bool kLocks>
class Lazy {
 public:
  int value() {
    if (const int made = value_.load(); made != 0) return made;
    std::unique_lock lock(mutex_, std::defer_lock);
    if constexpr (kLocks) {
      lock.lock();
      if (const int made = value_.load(); made != 0) return made;
    }
    const int made = 100 + makings_.fetch_add(1);  // tells the values apart
    value_.store(made);
    return made;
  }

  std::string to_string() {
    const int made = value_.load();
    return made == 0 ? "not made yet" : std::to_string(made);
  }

  bool is_value_created() const { return value_.load() != 0; }

 private:
  std::mutex mutex_;
  std::atomic<int> makings_{0};
  std::atomic<int> value_{0};
};

template <class Subject>
void define(plumb::Test<Subject>& test) {
  test.operation("value", &Subject::value);
  test.operation("to_string", &Subject::to_string);
  test.operation("is_value_created", &Subject::is_value_created);
}

using CorrectLazy = Lazy<true>;
using MadeTwiceLazy = Lazy<false>;
PLUMB_TEST(CorrectLazy, test) { define(test); }
PLUMB_TEST(MadeTwiceLazy, test) { define(test); }
