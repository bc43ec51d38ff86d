// A sorted list with a lock in each node, taken hand over hand: the next one before the last is let go
// (Herlihy and Shavit, The Art of Multiprocessor Programming, 9.5).
#pragma once

#include <limits>
#include <mutex>
#include <utility>

#include "../kept.hpp"

namespace sets {

class FineGrainedList {
 public:
  bool add(int value) {
    const Place at = find(value);
    if (at.here->key == value) return false;
    at.before->next = nodes_.make(value, at.here);
    return true;
  }

  bool remove(int value) {
    const Place at = find(value);
    if (at.here->key != value) return false;
    at.before->next = at.here->next;
    return true;
  }

  bool contains(int value) { return find(value).here->key == value; }

 private:
  struct Node {
    long key;
    Node* next;
    std::mutex mutex = {};
  };
  struct Place {
    Node* before;
    Node* here;  // the first that is not smaller
    std::unique_lock<std::mutex> lock_before;
    std::unique_lock<std::mutex> lock_here;
  };

  Place find(int value) {
    std::unique_lock lock_before(head_->mutex);
    Node* before = head_;
    Node* here = before->next;
    std::unique_lock lock_here(here->mutex);
    while (here->key < value) {
      before = std::exchange(here, here->next);
      lock_before = std::exchange(lock_here, std::unique_lock(here->mutex));
    }
    return {before, here, std::move(lock_before), std::move(lock_here)};
  }

  Kept<Node> nodes_;
  Node* const tail_ = nodes_.make(std::numeric_limits<long>::max(), nullptr);
  Node* const head_ = nodes_.make(std::numeric_limits<long>::min(), tail_);
};

}  // namespace sets
