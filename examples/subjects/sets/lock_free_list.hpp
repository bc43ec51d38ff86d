// The sorted list of Harris (DISC 2001) with the changes of Michael (SPAA 2002): a node is removed by a mark
// in its own link, then unlinked by whoever comes by.
#pragma once

#include <atomic>
#include <limits>

#include "../kept.hpp"
#include "link.hpp"

namespace sets {

class LockFreeList {
 public:
  bool add(int value) {
    Node* node = nullptr;
    for (;;) {
      const auto [before, here] = find(value);
      if (here->key == value) return false;
      if (node == nullptr) node = nodes_.make(value);
      node->next.store(Link(here));
      Link expected(here);
      if (before->next.compare_exchange_strong(expected, Link(node))) return true;
    }
  }

  bool remove(int value) {
    for (;;) {
      const auto [before, here] = find(value);
      if (here->key != value) return false;
      Link next = here->next.load();
      if (next.marked() || !here->next.compare_exchange_strong(next, next.with_mark())) continue;
      Link expected(here);
      before->next.compare_exchange_strong(expected, next);
      return true;
    }
  }

  bool contains(int value) const {
    const Node* here = head_->next.load().node();
    while (here->key < value) here = here->next.load().node();
    return here->key == value && !here->next.load().marked();
  }

 private:
  struct Node;
  using Link = sets::Link<Node>;
  struct Node {
    long key;
    std::atomic<Link> next{};
  };
  struct Place {
    Node* before;
    Node* here;
  };

  // Unlinks what is marked on the way; begins again where somebody was faster.
  Place find(int value) {
    for (;;) {
      Node* before = head_;
      Node* here = before->next.load().node();
      for (;;) {
        const Link next = here->next.load();
        if (next.marked()) {
          Link expected(here);
          if (!before->next.compare_exchange_strong(expected, Link(next.node()))) break;
          here = next.node();
        } else if (here->key < value) {
          before = here;
          here = next.node();
        } else {
          return {before, here};
        }
      }
    }
  }

  Kept<Node> nodes_;
  Node* const tail_ = nodes_.make(std::numeric_limits<long>::max());
  Node* const head_ = nodes_.make(std::numeric_limits<long>::min(), Link(tail_));
};

}  // namespace sets
