// A list open at both ends, under one lock.
//
// Fault C of the Line-Up paper, a removal that is lost: the value is read under the lock, but its node is
// unlinked under the lock taken once more. Two threads may read the same value, and unlink two.
#include <list>
#include <mutex>
#include <optional>

#include <plumb/plumb.hpp>

template <bool kLocksTwice>
class LinkedList {
 public:
  void add_first(int value) {
    const std::lock_guard lock(mutex_);
    items_.push_front(value);
  }

  void add_last(int value) {
    const std::lock_guard lock(mutex_);
    items_.push_back(value);
  }

  std::optional<int> remove_first() {
    std::unique_lock lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const int value = items_.front();
    release_for_a_moment(lock);
    if (!items_.empty()) items_.pop_front();
    return value;
  }

  std::optional<int> remove_last() {
    std::unique_lock lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const int value = items_.back();
    release_for_a_moment(lock);
    if (!items_.empty()) items_.pop_back();
    return value;
  }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }

 private:
  static void release_for_a_moment(std::unique_lock<std::mutex>& lock) {
    if constexpr (kLocksTwice) {
      lock.unlock();
      lock.lock();
    }
  }

  std::mutex mutex_;
  std::list<int> items_;
};

template <class List>
void define(plumb::Test<List>& test) {
  test.operation("add_first", &List::add_first, plumb::values(1, 2));
  test.operation("add_last", &List::add_last, plumb::values(1, 2));
  test.operation("remove_first", &List::remove_first);
  test.operation("remove_last", &List::remove_last);
  test.operation("count", &List::count);
}

using CorrectList = LinkedList<false>;
using LostRemovalList = LinkedList<true>;
PLUMB_TEST(CorrectList, test) { define(test); }
PLUMB_TEST(LostRemovalList, test) { define(test); }
