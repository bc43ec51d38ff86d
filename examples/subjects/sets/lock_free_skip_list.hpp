// The lock-free skip list (after Fraser; The Art of Multiprocessor Programming, 14.4): a lock-free list on
// each level, of which the lowest is the set and the others are short cuts. Who marks a node's link on the
// lowest level has removed it.
//
// The fault: that mark is put there without a look at whether it was there, so that two calls remove one
// value.
#pragma once

#include <array>
#include <atomic>
#include <limits>

#include "../kept.hpp"
#include "height.hpp"
#include "link.hpp"

namespace sets {

template <std::size_t kLevels = 8, bool kMarksBlindly = false>
class LockFreeSkipList {
 public:
  LockFreeSkipList() {
    for (auto& next : head_->next) next.store(Link(tail_));
  }

  bool add(int value) {
    Node* node = nullptr;
    for (;;) {
      Place at = find(value);
      if (at.after[0]->key == value) return false;
      if (node == nullptr) node = nodes_.make(value, height_of<kLevels>(value));
      for (std::size_t level = 0; level < node->height; ++level)
        node->next[level].store(Link(at.after[level]));
      Link expected(at.after[0]);
      if (!at.before[0]->next[0].compare_exchange_strong(expected, Link(node))) continue;
      for (std::size_t level = 1; level < node->height; ++level) {
        if (!link(node, level, at)) break;
      }
      return true;
    }
  }

  bool remove(int value) {
    const Place at = find(value);
    Node* const node = at.after[0];
    if (node->key != value) return false;
    for (std::size_t level = node->height; level-- > 1;) mark(node->next[level]);
    if (!mark(node->next[0]) && !kMarksBlindly) return false;
    find(value);  // unlinks it
    return true;
  }

  bool contains(int value) const {
    const Node* before = head_;
    const Node* here = nullptr;
    for (std::size_t level = kLevels; level-- > 0;) {
      here = before->next[level].load().node();
      for (;;) {
        const Link next = here->next[level].load();
        if (!next.marked()) {
          if (here->key >= value) break;
          before = here;
        }
        here = next.node();
      }
    }
    return here->key == value;
  }

 private:
  struct Node;
  using Link = sets::Link<Node>;
  struct Node {
    long key;
    std::size_t height;
    std::array<std::atomic<Link>, kLevels> next = {};
  };
  struct Place {
    std::array<Node*, kLevels> before = {};
    std::array<Node*, kLevels> after = {};  // the first of the level that is not smaller
  };

  // False: it was marked already.
  static bool mark(std::atomic<Link>& at) {
    Link next = at.load();
    while (!next.marked()) {
      if (at.compare_exchange_strong(next, next.with_mark())) return true;
    }
    return false;
  }

  // Links the node, which is in the set, on a higher level too. False: it was removed, and is
  // to be linked no further.
  bool link(Node* node, std::size_t level, Place& at) {
    for (;;) {
      Link next = node->next[level].load();
      if (next.marked()) return false;
      if (next.node() != at.after[level] &&
          !node->next[level].compare_exchange_strong(next, Link(at.after[level])))
        return false;
      Link expected(at.after[level]);
      if (at.before[level]->next[level].compare_exchange_strong(expected, Link(node))) return true;
      at = find(static_cast<int>(node->key));
      if (at.after[0] != node) return false;
    }
  }

  // Unlinks what is marked on the way; begins again where somebody was faster.
  Place find(int value) {
    Place at;
    while (!find(value, at)) {
    }
    return at;
  }

  bool find(int value, Place& at) {
    Node* before = head_;
    for (std::size_t level = kLevels; level-- > 0;) {
      Node* here = before->next[level].load().node();
      for (;;) {
        const Link next = here->next[level].load();
        if (next.marked()) {
          Link expected(here);
          if (!before->next[level].compare_exchange_strong(expected, Link(next.node()))) return false;
        } else if (here->key < value) {
          before = here;
        } else {
          break;
        }
        here = next.node();
      }
      at.before[level] = before;
      at.after[level] = here;
    }
    return true;
  }

  Kept<Node> nodes_;
  Node* const tail_ = nodes_.make(std::numeric_limits<long>::max(), kLevels);
  Node* const head_ = nodes_.make(std::numeric_limits<long>::min(), kLevels);
};

}  // namespace sets
