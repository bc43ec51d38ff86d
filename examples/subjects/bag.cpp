// A bag: try_take() takes any item. The correct one has one list under one lock, and takes the item added
// last: as deterministic as Line-Up wants it. The faulty ones have two lists with a lock each, and give each
// thread one of them; who finds his own empty looks into the other.
//   E  a list that somebody else has locked counts as empty
//   J  nothing is skipped, but the lists are looked at one after the other: "empty" may be wrong, and which
//      item one gets depends on the moment. The paper calls this intended
#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

#include <plumb/plumb.hpp>

struct Items {
  std::mutex mutex;
  std::vector<int> values;

  void add(int value) {
    const std::lock_guard lock(mutex);
    values.push_back(value);
  }

  // Of a list that is locked already.
  std::optional<int> take() {
    if (values.empty()) return std::nullopt;
    const int last = values.back();
    values.pop_back();
    return last;
  }
};

class OneList {
 public:
  void add(int value) { items_.add(value); }

  std::optional<int> try_take() {
    const std::lock_guard lock(items_.mutex);
    return items_.take();
  }

  bool is_empty() {
    const std::lock_guard lock(items_.mutex);
    return items_.values.empty();
  }

 private:
  Items items_;
};

std::atomic<std::size_t> threads{0};  // that have used a bag so far

template <bool kSkipsBusy>
class ListForEachThread {
 public:
  void add(int value) { lists_[own()].add(value); }

  std::optional<int> try_take() {
    const std::size_t first = own();
    for (std::size_t i = 0; i < lists_.size(); ++i) {
      Items& list = lists_[(first + i) % lists_.size()];
      std::unique_lock lock(list.mutex, std::defer_lock);
      if constexpr (kSkipsBusy) {
        if (!lock.try_lock()) continue;
      } else {
        lock.lock();
      }
      if (const auto taken = list.take()) return taken;
    }
    return std::nullopt;
  }

  bool is_empty() {
    const std::scoped_lock lock(lists_[0].mutex, lists_[1].mutex);
    return lists_[0].values.empty() && lists_[1].values.empty();
  }

 private:
  static std::size_t own() {
    thread_local const std::size_t mine = threads.fetch_add(1) % 2;
    return mine;
  }

  std::array<Items, 2> lists_;
};

template <class Bag>
void define(plumb::Test<Bag>& test) {
  test.operation("add", &Bag::add, plumb::values(10, 20));
  test.operation("try_take", &Bag::try_take);
  test.operation("is_empty", &Bag::is_empty);
}

using CorrectBag = OneList;
using SkipsBusyBag = ListForEachThread<true>;
using AnyItemBag = ListForEachThread<false>;
PLUMB_TEST(CorrectBag, test) { define(test); }
PLUMB_TEST(SkipsBusyBag, test) { define(test); }
PLUMB_TEST(AnyItemBag, test) { define(test); }
