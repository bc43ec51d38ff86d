// Small classes to test, right and wrong.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>

namespace plumb_tests {

struct Counter {
  std::atomic<int> n{0};
  int increment() { return n.fetch_add(1) + 1; }
  int get() const { return n.load(); }
};

// Two threads may read the same value before either writes.
struct LostUpdate {
  std::atomic<int> n{0};
  int increment() {
    const int seen = n.load();
    n.store(seen + 1);
    return seen + 1;
  }
  int get() const { return n.load(); }
};

struct LockedQueue {
  std::mutex mutex;
  std::deque<int> items;
  void push(int v) {
    const std::lock_guard lock(mutex);
    items.push_back(v);
  }
  std::optional<int> pop() {
    const std::lock_guard lock(mutex);
    if (items.empty()) return std::nullopt;
    const int v = items.front();
    items.pop_front();
    return v;
  }
};

// Takes the newest: wrong only for who expects a queue.
struct LockedStack : LockedQueue {
  std::optional<int> pop() {
    const std::lock_guard lock(mutex);
    if (items.empty()) return std::nullopt;
    const int v = items.back();
    items.pop_back();
    return v;
  }
};

struct BlockingQueue {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<int> items;
  void push(int v) {
    const std::lock_guard lock(mutex);
    items.push_back(v);
    filled.notify_one();
  }
  int take() {
    std::unique_lock lock(mutex);
    filled.wait(lock, [&] { return !items.empty(); });
    const int v = items.front();
    items.pop_front();
    return v;
  }
};

// Notifies before the item is there: who waits may sleep forever.
struct LostWakeUp : BlockingQueue {
  void push(int v) {
    {
      const std::lock_guard lock(mutex);
      if (items.empty()) filled.notify_one();
    }
    const std::lock_guard lock(mutex);
    items.push_back(v);
  }
};

struct TwoLocks {
  std::mutex a;
  std::mutex b;
  void ab() {
    const std::lock_guard first(a);
    const std::lock_guard second(b);
  }
  void ba() {
    const std::lock_guard first(b);
    const std::lock_guard second(a);
  }
};

struct Throws {
  std::atomic<int> left{1};
  int take() {
    if (left.fetch_sub(1) <= 0) throw std::out_of_range("nothing left");
    return 1;
  }
};

struct Racy {
  int n = 0;
  void set(int v) { n = v; }
  int get() const { return n; }
};

}  // namespace plumb_tests
