// Queues made of segments (Afek, Korland and Yanovsky, OPODIS 2010; Kirsch, Lippautz and Payer, PaCT 2013).
// An enqueue fills any free slot of the last segment, a dequeue takes any value of the first. The next
// segment is used for enqueues only when this one was filled, for dequeues only when everything was taken
// from it. So with kDistance + 1 slots a value is at most kDistance places off.
//
// Which value a dequeue takes is random in the papers; here a ticket says it, so that a
// schedule has one outcome.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "parts.hpp"

namespace quasi {

enum class Slot { kFree, kFilled, kTaken, kEarlier };

// A slot holds the round in which it is used, and a value, 0 if it is free. What was taken is
// free for the next round.
template <std::size_t kSlots, Fault kFault = Fault::kNone>
class Segment {
 public:
  enum class Put { kDone, kFilled, kEarlier };  // kEarlier: values of the round before are still in it
  enum class Take { kDone, kEmpty, kTaken, kGaveUp };

  Put put(std::uint32_t round, int value) {
    for (auto& slot : slots_) {
      std::uint64_t word = slot.load();
      if (state(word, round) == Slot::kEarlier) return Put::kEarlier;
      if (word == pack(round, 0) && slot.compare_exchange_strong(word, pack(round, value))) return Put::kDone;
    }
    return Put::kFilled;
  }

  Take take(std::uint32_t round, std::size_t choice, int& value) {
    // Empty is what two looks in a row agree on: a free slot that is still free was so in between.
    for (std::size_t free_before = 0;;) {
      std::size_t free = 0;
      for (std::size_t i = 0; i < kSlots; ++i) {
        const std::size_t at = (choice + i) % kSlots;
        std::uint64_t word = slots_[at].load();
        if (state(word, round) == Slot::kFree) free |= std::size_t{1} << at;
        if (state(word, round) != Slot::kFilled) continue;
        value = static_cast<int>(word & kValue);
        if constexpr (kFault == Fault::kTwice) {
          slots_[at].store(pack(round + 1, 0));
          return Take::kDone;
        }
        if (slots_[at].compare_exchange_strong(word, pack(round + 1, 0))) return Take::kDone;
        if constexpr (kFault == Fault::kNull) return Take::kGaveUp;
      }
      if (free == 0) return Take::kTaken;
      if (free == free_before) return Take::kEmpty;
      free_before = free;
    }
  }

 private:
  static constexpr std::uint64_t kValue = 0xFFFFFFFF;
  static std::uint64_t pack(std::uint32_t round, int value) {
    return std::uint64_t{round} << 32U | static_cast<std::uint32_t>(value);
  }
  static Slot state(std::uint64_t word, std::uint32_t round) {
    const auto of = static_cast<std::uint32_t>(word >> 32U);
    if (of != round) return of < round ? Slot::kEarlier : Slot::kTaken;
    return (word & kValue) == 0 ? Slot::kFree : Slot::kFilled;
  }

  std::array<std::atomic<std::uint64_t>, kSlots> slots_{};
};

// Bounded: a ring of segments that are used again. The quasi queue of the Round-Up paper is this one
// as well, with its faults.
template <unsigned kDistance, Fault kFault = Fault::kNone, std::size_t kSegments = 4>
class BoundedKFifo {
 public:
  // False: full.
  bool put(int value) {
    for (std::size_t at = tail_.load();; ++at) {
      const auto put = ring_[at % kSegments].put(round(at), value);
      if (put == Part::Put::kDone) return true;
      if (put == Part::Put::kEarlier) return false;
      move_on(tail_, at);
    }
  }

  std::optional<int> take() {
    const std::size_t choice = kDistance + tickets_.fetch_add(1);
    int value = 0;
    std::size_t at = head_.load();
    if constexpr (kFault == Fault::kTooFar) {
      if (ring_[(at + 1) % kSegments].take(round(at + 1), choice, value) == Part::Take::kDone) return value;
    }
    for (;; ++at) {
      const auto take = ring_[at % kSegments].take(round(at), choice, value);
      if (take == Part::Take::kDone) return value;
      if (take != Part::Take::kTaken) return std::nullopt;
      move_on(head_, at);
    }
  }

 private:
  using Part = Segment<kDistance + 1, kFault>;
  static std::uint32_t round(std::size_t at) { return static_cast<std::uint32_t>(at / kSegments); }
  static void move_on(std::atomic<std::size_t>& end, std::size_t from) {
    end.compare_exchange_strong(from, from + 1);
  }

  std::array<Part, kSegments> ring_{};
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
  std::atomic<std::size_t> tickets_{0};
};

// Unbounded: a list of segments.
template <unsigned kDistance>
class UnboundedKFifo {
 public:
  void put(int value) {
    Node* at = tail_.load();
    while (at->segment.put(0, value) != Part::Put::kDone) {
      Node* next = at->next.load();
      if (next == nullptr) {
        Node* const made = nodes_.make();
        next = at->next.compare_exchange_strong(next, made) ? made : next;
      }
      tail_.compare_exchange_strong(at, next);
      at = next;
    }
  }

  std::optional<int> take() {
    const std::size_t choice = kDistance + tickets_.fetch_add(1);
    int value = 0;
    for (Node* at = head_.load(); at != nullptr;) {
      const auto take = at->segment.take(0, choice, value);
      if (take == Part::Take::kDone) return value;
      if (take != Part::Take::kTaken) return std::nullopt;
      Node* const next = at->next.load();
      if (next != nullptr) head_.compare_exchange_strong(at, next);
      at = next;
    }
    return std::nullopt;
  }

 private:
  using Part = Segment<kDistance + 1>;
  struct Node {
    Part segment;
    std::atomic<Node*> next{nullptr};
  };

  Arena<Node> nodes_;
  std::atomic<Node*> head_{nodes_.make()};
  std::atomic<Node*> tail_{head_.load()};
  std::atomic<std::size_t> tickets_{0};
};

}  // namespace quasi
