// Classes without locks, and classes whose operations make threads of their own; each right, or with the step
// left out that makes it right.
#pragma once

#include <array>
#include <atomic>
#include <barrier>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "objects.hpp"

namespace hunt {

// A new state takes the place of the one that it was made from, or of whichever is there (wrong).
template <class Object, bool kRight>
class CopyOnWrite {
 public:
  int change(int v) {
    std::shared_ptr<const Object> old = now_.load();
    for (;;) {
      auto next = std::make_shared<Object>(*old);
      const int result = next->change(v);
      if (!kRight) return now_.store(std::move(next)), result;
      if (now_.compare_exchange_strong(old, std::move(next))) return result;
    }
  }
  State look() { return now_.load()->look(); }

 private:
  std::atomic<std::shared_ptr<const Object>> now_{std::make_shared<const Object>()};
};

template <bool kRight>
class Sum {
 public:
  int change(int v) {
    if (kRight) return sum_.fetch_add(v + 1);
    const int old = sum_.load();
    sum_.store(old + v + 1);
    return old;
  }
  int look() { return sum_.load(); }

 private:
  std::atomic<int> sum_{0};
};

template <bool kRight>
class Largest {
 public:
  int change(int v) {
    int old = largest_.load();
    while (old < v && !replaced(old, v)) {
    }
    return old;
  }
  int look() { return largest_.load(); }

 private:
  bool replaced(int& old, int v) {
    if (kRight) return largest_.compare_exchange_weak(old, v);
    largest_.store(v);
    return true;
  }
  std::atomic<int> largest_{-1};
};

// Readers try again while somebody writes; the wrong one does not look whether somebody did.
template <bool kRight>
class SequenceLock {
 public:
  int change(int v) {
    const std::lock_guard held(writers_);
    sequence_.fetch_add(1);
    for (auto& cell : cells_) cell.store(cell.load() + v + 1);
    sequence_.fetch_add(1);
    return v;
  }
  State look() {
    for (;;) {
      const int before = sequence_.load();
      const State seen = {cells_[0].load(), cells_[1].load()};
      if (!kRight || (before % 2 == 0 && sequence_.load() == before)) return seen;
    }
  }

 private:
  std::mutex writers_;
  std::atomic<int> sequence_{0};
  std::array<std::atomic<int>, 2> cells_{};
};

// Nodes are not freed before the end, so none comes back too early.
template <bool kRight>
class Treiber {
 public:
  Treiber() = default;
  Treiber(const Treiber&) = delete;
  Treiber& operator=(const Treiber&) = delete;
  ~Treiber() {
    for (Node* node = all_.load(); node != nullptr;) delete std::exchange(node, node->made_before);
  }
  int change(int v) { return v == 0 ? pop() : push(v); }
  int look() { return head_.load() == nullptr ? 0 : 1; }

 private:
  struct Node {
    int value;
    Node* below;
    Node* made_before;
  };
  int push(int v) {
    Node* node = new Node{v, head_.load(), all_.load()};
    while (!all_.compare_exchange_weak(node->made_before, node)) {
    }
    while (!head_.compare_exchange_weak(node->below, node)) {
    }
    return v;
  }
  int pop() {
    Node* top = head_.load();
    while (top != nullptr && !taken(top)) {
    }
    return top == nullptr ? -1 : top->value;
  }
  bool taken(Node*& top) {
    if (kRight) return head_.compare_exchange_weak(top, top->below);
    head_.store(top->below);
    return true;
  }
  std::atomic<Node*> head_{nullptr};
  std::atomic<Node*> all_{nullptr};
};

// Made when it is first used. The wrong one looks without asking (a race).
template <bool kRight>
class Lazy {
 public:
  int change(int v) {
    if (kRight) {
      std::call_once(once_, [&] { first_ = v + 1; });
    } else if (first_ == 0) {
      std::call_once(once_, [&] { first_ = v + 1; });
    }
    return first_;
  }
  int look() { return change(7); }

 private:
  std::once_flag once_;
  int first_ = 0;
};

// Operations that have helpers. The wrong ones do not wait for theirs before they read what it wrote (a
// race).
enum class Helper { kThread, kJoiningThread, kAsync, kPromise, kPackagedTask, kLatch, kBarrier };

template <Helper kHelper, bool kRight>
class Helped {
 public:
  int change(int v) {
    const std::lock_guard held(mutex_);
    int made = 0;
    const auto work = [&] { made = v + 1; };
    if constexpr (kHelper == Helper::kThread) {
      std::thread helper(work);
      if (kRight) helper.join();
      total_ += made;
      if (!kRight) helper.join();
    } else if constexpr (kHelper == Helper::kJoiningThread) {
      std::jthread helper(work);
      if (kRight) helper.join();
      total_ += made;
    } else if constexpr (kHelper == Helper::kAsync) {
      auto done = std::async(std::launch::async, work);
      if (kRight) done.get();
      total_ += made;
    } else if constexpr (kHelper == Helper::kPromise) {
      std::promise<void> promise;
      auto done = promise.get_future();
      std::jthread helper([&] { work(), promise.set_value(); });
      if (kRight) done.wait();
      total_ += made;
    } else if constexpr (kHelper == Helper::kPackagedTask) {
      std::packaged_task<void()> task(work);
      auto done = task.get_future();
      std::jthread helper(std::ref(task));
      if (kRight) done.wait();
      total_ += made;
    } else if constexpr (kHelper == Helper::kLatch) {
      std::latch done(1);
      std::jthread helper([&] { work(), done.count_down(); });
      if (kRight) done.wait();
      total_ += made;
    } else {
      std::barrier<> done(2);
      std::jthread helper([&] {
        work();
        if (kRight) done.arrive_and_wait();
      });
      if (kRight) done.arrive_and_wait();
      total_ += made;
    }
    return total_;
  }
  int look() {
    const std::lock_guard held(mutex_);
    return total_;
  }

 private:
  std::mutex mutex_;
  int total_ = 0;
};

}  // namespace hunt
