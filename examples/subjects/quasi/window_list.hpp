// A list in the order in which values should come out, from which a removal takes any of the first few:
// the random-dequeued queue (Afek, Korland and Yanovsky, OPODIS 2010) if new values are put at the end,
// a quasi stack if in front, a quasi priority queue if the list is sorted. Nodes are only marked as
// taken, so the list only grows.
//
// The virtual window is the first value that is left and the kDistance nodes behind it, taken or not. So that
// value is overtaken by kDistance others at most. Without it the first kDistance + 1 values that are left are
// looked at, and one may be overtaken forever.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "parts.hpp"

namespace quasi {

enum class Order { kOldestFirst, kNewestFirst, kSmallestFirst };

template <Order kOrder, unsigned kDistance, Fault kFault = Fault::kNone, bool kWindow = true>
class WindowList {
 public:
  void put(int value) {
    Node* const node = nodes_.make();
    node->value = value;
    Node* at = &root_;
    Node* next = at->next.load();
    do {
      while (next != nullptr && stays_before(next->value, value)) {
        at = next;
        next = at->next.load();
      }
      node->next.store(next);
    } while (!at->next.compare_exchange_strong(next, node));
  }

  std::optional<int> take() {
    const std::size_t choice = kReach - 1 + tickets_.fetch_add(1);
    std::size_t length_before = 0;
    while (true) {
      const View view = look();
      if (view.left > 0) {
        Node* const chosen = view.nodes.at(choice % view.left);
        if constexpr (kFault == Fault::kTwice) {
          chosen->taken.store(true);
          return chosen->value;
        }
        if (!chosen->taken.exchange(true)) return chosen->value;
        if constexpr (kFault == Fault::kNull) return std::nullopt;
      } else if (view.length == length_before) {
        return std::nullopt;  // nothing was put in between, so between the two looks it was empty
      }
      length_before = view.left > 0 ? 0 : view.length;
    }
  }

 private:
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
    std::atomic<bool> taken{false};
  };
  static constexpr std::size_t kReach = kDistance + (kFault == Fault::kTooFar ? 2 : 1);
  struct View {
    std::array<Node*, kReach> nodes{};  // what may be taken
    std::size_t left = 0;               // so many of them
    std::size_t length = 1;             // of the list, where nothing is left
  };

  static bool stays_before(int there, int value) {
    return kOrder == Order::kOldestFirst || (kOrder == Order::kSmallestFirst && there <= value);
  }

  View look() {
    View view;
    std::size_t reach = kReach;
    for (Node* at = root_.next.load(); at != nullptr && reach > 0; at = at->next.load()) {
      ++view.length;
      const bool taken = at->taken.load();
      if (!taken) view.nodes.at(view.left++) = at;
      if (!taken || (kWindow && view.left > 0)) --reach;
    }
    return view;
  }

  Arena<Node> nodes_;
  Node root_;
  std::atomic<std::size_t> tickets_{0};
};

}  // namespace quasi
