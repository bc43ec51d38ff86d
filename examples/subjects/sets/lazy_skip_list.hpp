// The lazy skip list (Herlihy, Lev, Luchangco and Shavit, SIROCCO 2007; The Art of Multiprocessor
// Programming, 14.3): walked without locks; to change it, the nodes before the place are locked on all levels
// and looked at again. A node counts from when it is linked on all its levels until it is marked.
#pragma once

#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <thread>

#include "../kept.hpp"
#include "height.hpp"

namespace sets {

template <std::size_t kLevels = 8>
class LazySkipList {
 public:
  LazySkipList() {
    for (auto& next : head_->next) next.store(tail_);
  }

  bool add(int value) {
    const std::size_t height = height_of<kLevels>(value);
    for (;;) {
      Place at = find(value);
      if (at.found != nullptr) {
        if (at.found->marked.load()) continue;
        while (!at.found->linked.load()) std::this_thread::yield();
        return false;
      }
      if (!lock(at, height, nullptr)) continue;
      Node* const node = nodes_.make(value, height);
      for (std::size_t level = 0; level < height; ++level) node->next[level].store(at.after[level]);
      for (std::size_t level = 0; level < height; ++level) at.before[level]->next[level].store(node);
      node->linked.store(true);
      return true;
    }
  }

  bool remove(int value) {
    Place at = find(value);
    Node* const node = at.found;
    // A node that is found below its top is being linked.
    if (node == nullptr || !node->linked.load() || at.level + 1 != node->height || node->marked.load())
      return false;
    const std::lock_guard lock_node(node->mutex);
    if (node->marked.load()) return false;
    node->marked.store(true);
    while (!lock(at, node->height, node)) at = find(value);
    for (std::size_t level = node->height; level-- > 0;)
      at.before[level]->next[level].store(node->next[level].load());
    return true;
  }

  bool contains(int value) const {
    const Place at = find(value);
    return at.found != nullptr && at.found->linked.load() && !at.found->marked.load();
  }

 private:
  struct Node {
    long key;
    std::size_t height;
    std::array<std::atomic<Node*>, kLevels> next = {};
    std::atomic<bool> marked = false;
    std::atomic<bool> linked = false;
    std::mutex mutex = {};
  };
  struct Place {
    std::array<Node*, kLevels> before = {};
    std::array<Node*, kLevels> after = {};  // the first of the level that is not smaller
    Node* found = nullptr;
    std::size_t level = 0;  // the highest one on which it was found
    std::array<std::unique_lock<std::mutex>, kLevels> locks = {};
  };

  Place find(int value) const {
    Place at;
    Node* before = head_;
    for (std::size_t level = kLevels; level-- > 0;) {
      Node* here = before->next[level].load();
      while (here->key < value) {
        before = here;
        here = here->next[level].load();
      }
      if (here->key == value && at.found == nullptr) {
        at.found = here;
        at.level = level;
      }
      at.before[level] = before;
      at.after[level] = here;
    }
    return at;
  }

  // Locks the nodes before the place. False, and no locks, where the list is not as it was found: with the
  // node, if there is one, right behind them on all levels. Looks before it locks too: who waits for another
  // to unlink a node is not in its way.
  static bool lock(Place& at, std::size_t height, const Node* node) {
    if (!as_found(at, height, node)) return false;
    for (std::size_t level = 0; level < height; ++level) {
      Node* const before = at.before[level];
      if (level == 0 || before != at.before[level - 1]) at.locks[level] = std::unique_lock(before->mutex);
    }
    if (as_found(at, height, node)) return true;
    at.locks = {};
    return false;
  }

  static bool as_found(const Place& at, std::size_t height, const Node* node) {
    for (std::size_t level = 0; level < height; ++level) {
      const Node* const after = node != nullptr ? node : at.after[level];
      if (at.before[level]->marked.load() || at.before[level]->next[level].load() != after) return false;
      if (node == nullptr && after->marked.load()) return false;
    }
    return true;
  }

  Kept<Node> nodes_;
  Node* const tail_ = nodes_.make(std::numeric_limits<long>::max(), kLevels);
  Node* const head_ = nodes_.make(std::numeric_limits<long>::min(), kLevels);
};

}  // namespace sets
