// A bounded collection: add() waits for room, take() for an item, until complete_adding() says that no more
// will come.
//
// Faults of the Line-Up paper's BlockingCollection:
//   D  complete_adding() wakes no thread: one that waits for an item waits forever
//   H  the count is kept beside the items and follows them a little later: zero although there is an item
//   I  try_take() fails when somebody else has the lock, although there is an item
//   K  adding was checked before the lock: what complete_adding() says takes effect long after it returned
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <vector>

#include <plumb/plumb.hpp>

enum class Fault { kNone, kWakesNobody, kLateCount, kGivesUp, kLateCompletion };

template <Fault kFault>
class BlockingCollection {
 public:
  void add(int value) {
    if (kFault == Fault::kLateCompletion && completed_) throw std::logic_error("completed");
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return items_.size() < kRoom || completed_; });
      if (kFault != Fault::kLateCompletion && completed_) throw std::logic_error("completed");
      items_.push_back(value);
      changed_.notify_all();
    }
    ++late_count_;
  }

  // Nothing when no more will come.
  std::optional<int> take() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !items_.empty() || completed_; });
    return remove(lock);
  }

  std::optional<int> try_take() {
    std::unique_lock lock(mutex_, std::defer_lock);
    if constexpr (kFault == Fault::kGivesUp) {
      if (!lock.try_lock()) return std::nullopt;
    } else {
      lock.lock();
    }
    return remove(lock);
  }

  void complete_adding() {
    const std::lock_guard lock(mutex_);
    completed_ = true;
    if (kFault != Fault::kWakesNobody) changed_.notify_all();
  }

  bool is_completed() {
    const std::lock_guard lock(mutex_);
    return completed_ && items_.empty();
  }

  int count() {
    if constexpr (kFault == Fault::kLateCount) return late_count_;
    const std::lock_guard lock(mutex_);
    return static_cast<int>(items_.size());
  }

  std::vector<int> to_array() {
    const std::lock_guard lock(mutex_);
    return {items_.begin(), items_.end()};
  }

 private:
  static constexpr std::size_t kRoom = 2;

  std::optional<int> remove(std::unique_lock<std::mutex>& lock) {
    if (items_.empty()) return std::nullopt;
    const int first = items_.front();
    items_.pop_front();
    changed_.notify_all();
    lock.unlock();
    --late_count_;
    return first;
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int> items_;
  std::atomic<bool> completed_{false};
  std::atomic<int> late_count_{0};
};

template <class Collection>
void define(plumb::Test<Collection>& test) {
  test.operation("add", &Collection::add, plumb::values(1, 2));
  test.operation("take", &Collection::take);
  test.operation("try_take", &Collection::try_take);
  test.operation("complete_adding", &Collection::complete_adding);
  test.operation("is_completed", &Collection::is_completed);
  test.operation("count", &Collection::count);
  test.operation("to_array", &Collection::to_array);
}

using CorrectCollection = BlockingCollection<Fault::kNone>;
using WakesNobodyCollection = BlockingCollection<Fault::kWakesNobody>;
using LateCountCollection = BlockingCollection<Fault::kLateCount>;
using GivesUpCollection = BlockingCollection<Fault::kGivesUp>;
using LateCompletionCollection = BlockingCollection<Fault::kLateCompletion>;
PLUMB_TEST(CorrectCollection, test) { define(test); }
PLUMB_TEST(WakesNobodyCollection, test) { define(test); }
PLUMB_TEST(LateCountCollection, test) { define(test); }
PLUMB_TEST(GivesUpCollection, test) { define(test); }
PLUMB_TEST(LateCompletionCollection, test) { define(test); }
