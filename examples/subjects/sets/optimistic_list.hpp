// Sorted lists that are walked without locks. The two nodes at the place are locked and looked at again
// before anything is changed (Herlihy and Shavit, 9.6 and 9.7):
//
//   OptimisticList   walks from the head once more, to see whether both are still there
//   LazyList         a node is marked before it is unlinked (Heller et al., OPODIS 2005): the marks say it,
//                    and contains() needs no lock
#pragma once

#include <atomic>
#include <limits>
#include <mutex>

#include "../kept.hpp"

namespace sets {

template <bool kMarks>
class ValidatedList {
 public:
  bool add(int value) {
    return at(value, [&](Node* before, Node* here) {
      if (here->key == value) return false;
      before->next.store(nodes_.make(value, here));
      return true;
    });
  }

  bool remove(int value) {
    return at(value, [&](Node* before, Node* here) {
      if (here->key != value) return false;
      if constexpr (kMarks) here->marked.store(true);
      before->next.store(here->next.load());
      return true;
    });
  }

  bool contains(int value) {
    if constexpr (kMarks) {
      const Node* const here = find(value).here;
      return here->key == value && !here->marked.load();
    } else {
      return at(value, [&](Node*, Node* here) { return here->key == value; });
    }
  }

 private:
  struct Node {
    long key;
    std::atomic<Node*> next;
    std::atomic<bool> marked = false;
    std::mutex mutex = {};
  };
  struct Place {
    Node* before;
    Node* here;
  };

  Place find(int value) const {
    Node* before = head_;
    Node* here = before->next.load();
    while (here->key < value) {
      before = here;
      here = here->next.load();
    }
    return {before, here};
  }

  // Does it where the value is or would be, with both nodes locked and in the list.
  template <class Do>
  bool at(int value, Do act) {
    for (;;) {
      const auto [before, here] = find(value);
      const std::lock_guard lock_before(before->mutex);
      const std::lock_guard lock_here(here->mutex);
      if (still_there(before, here)) return act(before, here);
    }
  }

  bool still_there(const Node* before, const Node* here) const {
    if constexpr (kMarks) {
      return !before->marked.load() && !here->marked.load() && before->next.load() == here;
    } else {
      const Node* node = head_;
      while (node->key < before->key) node = node->next.load();
      return node == before && before->next.load() == here;
    }
  }

  Kept<Node> nodes_;
  Node* const tail_ = nodes_.make(std::numeric_limits<long>::max(), nullptr);
  Node* const head_ = nodes_.make(std::numeric_limits<long>::min(), tail_);
};

using OptimisticList = ValidatedList<false>;
using LazyList = ValidatedList<true>;

}  // namespace sets
