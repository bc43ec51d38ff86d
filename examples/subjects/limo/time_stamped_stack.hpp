// The time-stamped stack (Dodds, Haas and Kirsch, POPL 2015): each thread pushes onto a list of its own and
// then stamps the node with the time, here of a shared counter. Who pops looks at the newest node of every
// list and takes the youngest of them; one that got its stamp since the pop began overlaps with it, and is
// taken at once. Empty is what was empty twice: no list has got a new node since it was looked at.
//
// The fault: the clock is read and set in two steps, so that a thread that is late sets it back, and nodes
// look older than they are.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <thread>

#include "../kept.hpp"

namespace limo {

template <bool kClockGoesBack, std::size_t kThreads = 64>
class BasicTimeStampedStack {
 public:
  void put(int value) {
    std::atomic<Node*>& newest = lists_[mine()].newest;
    Node* const node = nodes_.make(value, newest.load());
    newest.store(node);
    node->stamp.store(tick());
  }

  std::optional<int> take() {
    const Stamp begin = clock_.load();
    for (;;) {
      const Look look = look_around(begin);
      if (look.youngest == nullptr) {
        if (!anything_new(look)) return std::nullopt;
        continue;
      }
      bool taken = false;
      if (!look.youngest->taken.compare_exchange_strong(taken, true)) continue;
      // What stands above it in its list is taken: the list may begin with it.
      Node* newest = look.newest[look.list];
      lists_[look.list].newest.compare_exchange_strong(newest, look.youngest);
      return look.youngest->value;
    }
  }

 private:
  using Stamp = std::uint64_t;
  static constexpr Stamp kNotYet = std::numeric_limits<Stamp>::max();

  struct Node {
    int value;
    Node* older;
    std::atomic<Stamp> stamp = kNotYet;
    std::atomic<bool> taken = false;
  };
  struct alignas(64) List {
    std::atomic<std::size_t> owner{0};  // a thread
    std::atomic<Node*> newest{nullptr};
  };
  struct Look {
    Node* youngest = nullptr;
    std::size_t list = 0;  // that it is in
    std::array<Node*, kThreads> newest = {};
  };

  // The list of this thread; its first call claims one.
  std::size_t mine() {
    const std::size_t self = std::hash<std::thread::id>()(std::this_thread::get_id()) | 1U;
    for (std::size_t list = 0;; list = (list + 1) % kThreads) {
      std::size_t owner = lists_[list].owner.load();
      if (owner == self) return list;
      if (owner == 0 && lists_[list].owner.compare_exchange_strong(owner, self)) return list;
    }
  }

  Stamp tick() {
    if constexpr (kClockGoesBack) {
      const Stamp now = clock_.load();
      clock_.store(now + 1);
      return now;
    } else {
      return clock_.fetch_add(1);
    }
  }

  Look look_around(Stamp begin) {
    Look look;
    Stamp youngest = 0;
    for (std::size_t list = 0; list < kThreads; ++list) {
      Node* node = look.newest[list] = lists_[list].newest.load();
      while (node != nullptr && node->taken.load()) node = node->older;
      if (node == nullptr) continue;
      const Stamp stamp = node->stamp.load();
      if (look.youngest != nullptr && stamp < youngest) continue;
      look.youngest = node;
      look.list = list;
      youngest = stamp;
      if (stamp >= begin) break;
    }
    return look;
  }

  bool anything_new(const Look& look) const {
    for (std::size_t list = 0; list < kThreads; ++list) {
      if (lists_[list].newest.load() != look.newest[list]) return true;
    }
    return false;
  }

  Kept<Node> nodes_;
  std::array<List, kThreads> lists_;
  std::atomic<Stamp> clock_{0};
};

}  // namespace limo
