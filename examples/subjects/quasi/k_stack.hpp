// A stack of segments (Henzinger, Kirsch, Payer, Sezgin and Sokolova, POPL 2013). A push fills a slot
// of the top segment, a pop takes from it, and removes it when it finds nothing there. Who removes says
// so first, then looks again; who has pushed looks whether somebody is removing, and takes the value
// back. A slot is used once.
//
// The fault that the Round-Up paper found (section VI-D): the push does not take the value back
// before it pushes it again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include "parts.hpp"

namespace quasi {

template <unsigned kDistance, Fault kFault = Fault::kNone>
class KStack {
 public:
  void put(int value) {
    while (true) {
      Segment* top = top_.load();
      while (top->removing.load() > 0 && top_.load() == top) {
      }
      std::atomic<int>* const slot = fill(*top, value);
      if (slot == nullptr) {
        Segment* const made = segments_.make();
        made->below = top;
        made->slots[0].store(value);  // empty, it could be removed at once, again and again
        if (top_.compare_exchange_strong(top, made)) return;
      } else if (committed(*top, *slot, value)) {
        return;
      }
    }
  }

  std::optional<int> take() {
    for (std::size_t free_before = 0;;) {
      Segment* const top = top_.load();
      std::size_t free = 1;  // as bits; the lowest stands for the segment
      for (std::size_t i = kSlots; i-- > 0;) {
        int value = top->slots[i].load();
        if (value == 0) free |= std::size_t{2} << i;
        if (value > 0 && top->slots[i].compare_exchange_strong(value, kTaken)) return value;
      }
      if (top->below != nullptr) {
        remove(top);
      } else if (free == free_before && top_.load() == top) {
        return std::nullopt;
      } else {
        free_before = free;
      }
    }
  }

 private:
  static constexpr std::size_t kSlots = kDistance + 1;
  static constexpr int kTaken = -1;
  struct Segment {
    std::array<std::atomic<int>, kSlots> slots{};
    std::atomic<int> removing{0};  // threads; never 0 again when it was removed
    Segment* below = nullptr;
  };

  static std::atomic<int>* fill(Segment& segment, int value) {
    for (auto& slot : segment.slots) {
      int free = 0;
      if (slot.compare_exchange_strong(free, value)) return &slot;
    }
    return nullptr;
  }

  static bool committed(Segment& segment, std::atomic<int>& slot, int value) {
    if (slot.load() != value || segment.removing.load() == 0) return true;
    if constexpr (kFault == Fault::kTwice) return false;
    return !slot.compare_exchange_strong(value, kTaken);  // somebody else may have taken it
  }

  void remove(Segment* top) {
    top->removing.fetch_add(1);
    for (auto& slot : top->slots) {
      if (slot.load() <= 0) continue;
      top->removing.fetch_sub(1);
      return;
    }
    top_.compare_exchange_strong(top, top->below);
  }

  Arena<Segment> segments_;
  std::atomic<Segment*> top_{segments_.make()};
};

}  // namespace quasi
