// The concurrent containers of oneTBB as they come.
#include <optional>

#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_map.h>

#include <plumb/plumb.hpp>

class TbbQueue {
 public:
  void push(int value) { queue_.push(value); }
  std::optional<int> try_pop() {
    int value = 0;
    return queue_.try_pop(value) ? std::optional(value) : std::nullopt;
  }

 private:
  tbb::concurrent_queue<int> queue_;
};
PLUMB_TEST(TbbQueue, test) {
  test.operation("push", &TbbQueue::push, plumb::values(1, 2));
  test.operation("try_pop", &TbbQueue::try_pop);
}
// oneapi-src/oneTBB#782: its test, whose last pop found nothing on ARM. try_pop() loads the head and the tail relaxed.
PLUMB_TEST(TbbQueue, test, "TbbQueueIssue782") {
  test.operation("push", &TbbQueue::push, plumb::values(1, 2));
  test.operation("try_pop", &TbbQueue::try_pop);
  test.scenario(
      {{plumb::call("push", 1), plumb::call("try_pop")}, {plumb::call("push", 2), plumb::call("try_pop")}});
}

class TbbBoundedQueue {
 public:
  TbbBoundedQueue() { queue_.set_capacity(2); }
  void push(int value) { queue_.push(value); }
  bool try_push(int value) { return queue_.try_push(value); }
  int pop() {
    int value = 0;
    queue_.pop(value);
    return value;
  }
  std::optional<int> try_pop() {
    int value = 0;
    return queue_.try_pop(value) ? std::optional(value) : std::nullopt;
  }

 private:
  tbb::concurrent_bounded_queue<int> queue_;
};
PLUMB_TEST(TbbBoundedQueue, test) {
  test.operation("push", &TbbBoundedQueue::push, plumb::values(1, 2));
  test.operation("try_push", &TbbBoundedQueue::try_push, plumb::values(1, 2));
  test.operation("pop", &TbbBoundedQueue::pop);
  test.operation("try_pop", &TbbBoundedQueue::try_pop);
}

class TbbHashMap {
 public:
  bool insert(int key) { return map_.insert({key, key}); }
  bool erase(int key) { return map_.erase(key); }
  std::optional<int> find(int key) const {
    decltype(map_)::const_accessor found;
    return map_.find(found, key) ? std::optional(found->second) : std::nullopt;
  }

 private:
  tbb::concurrent_hash_map<int, int> map_;
};
PLUMB_TEST(TbbHashMap, test) {
  test.operation("insert", &TbbHashMap::insert, plumb::values(10, 20));
  test.operation("erase", &TbbHashMap::erase, plumb::values(10, 20));
  test.operation("find", &TbbHashMap::find, plumb::values(10, 20));
}

class TbbUnorderedMap {
 public:
  bool insert(int key) { return map_.insert({key, key}).second; }
  bool contains(int key) const { return map_.contains(key); }
  std::size_t size() const { return map_.size(); }

 private:
  tbb::concurrent_unordered_map<int, int> map_;
};
PLUMB_TEST(TbbUnorderedMap, test) {
  test.operation("insert", &TbbUnorderedMap::insert, plumb::values(10, 20));
  test.operation("contains", &TbbUnorderedMap::contains, plumb::values(10, 20));
}

// Its size is counted after the key is in.
using TbbMapWithSize = TbbUnorderedMap;
PLUMB_TEST(TbbMapWithSize, test) {
  test.operation("insert", &TbbUnorderedMap::insert, plumb::values(10, 20));
  test.operation("contains", &TbbUnorderedMap::contains, plumb::values(10, 20));
  test.operation("size", &TbbUnorderedMap::size);
}
