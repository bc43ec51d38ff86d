// The numbers of locations. They are the same in every execution, so that the events of a graph can be run again. Memory that is used once
// more after a time in which one thread was alone is another location, whose initial value is what that thread left there.
#pragma once

#include <algorithm>
#include <array>
#include <bitset>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "explore/graph/event.hpp"

namespace plumb::engine::graph {

class Locations {
 public:
  struct Place {
    void* address = nullptr;
    std::size_t size = 0;
    int phase = 0;
    bool is_object = false;  // a mutex: its value is the search's own, and memory has its own
  };
  static constexpr std::size_t kMost = kNoLocation;

  void begin() { phase_ = 0; }  // an execution
  void next_phase() { ++phase_; }

  // The number of what is accessed there. None: another location lies over it, or there are too many.
  std::uint16_t find_or_add(const void* address, std::size_t size) {
    Recent& recent = recent_[reinterpret_cast<std::uintptr_t>(address) / kWord % recent_.size()];
    if (recent.address != address || recent.size != size || recent.phase != phase_)
      recent = {address, size, phase_, look_up_or_add(address, size)};
    return recent.number;
  }
  // The same of an object, which is no memory: variables may lie over it.
  std::uint16_t find_or_add_object(const void* address);
  // Bytes whose plain accesses are events, too, since they race, and that is allowed. For good; in pieces, each of which is one location. They are
  // words of eight bytes, but what is accessed atomically is one piece, and where a plain write ends a piece ends, too.
  struct Promoted {
    const void* address;
    std::size_t size;
    bool is_atomic = false;  // stays whole, whatever part of it is written
  };
  bool promote(const void* address, std::size_t size);  // false: all of them were
  // The bytes are written plainly, or accessed atomically. True: the pieces are others from now on.
  bool fit_write(const void* address, std::size_t size);
  bool fit_atomic(const void* address, std::size_t size);
  [[nodiscard]] const std::vector<Promoted>& promoted() const { return promoted_; }

  [[nodiscard]] const Place& operator[](std::uint16_t number) const { return places_[number]; }
  [[nodiscard]] std::size_t count() const { return places_.size(); }
  [[nodiscard]] bool is_of_this_phase(std::uint16_t number) const { return places_[number].phase == phase_; }

  // Whether some location may touch these bytes; most often none does.
  [[nodiscard]] bool may_touch(const void* address, std::size_t size) const {
    const auto first = reinterpret_cast<std::uintptr_t>(address) / kWord;
    const auto last = (reinterpret_cast<std::uintptr_t>(address) + size - 1) / kWord;
    if (first == last) return words_[first % kBits];
    if (last - first >= kBits) return true;
    for (auto word = first; word <= last; ++word) {
      if (words_[word % kBits]) return true;
    }
    return false;
  }
  // Calls with the number of each location of this phase that touches them.
  template <class F>
  void for_each_touching(const void* address, std::size_t size, const F& call) const {
    const auto first = reinterpret_cast<std::uintptr_t>(address);
    for (std::uintptr_t word = first / kWord; word * kWord < first + size; ++word) {
      const auto found = by_word_.find(word);
      if (found == by_word_.end()) continue;
      for (const std::uint16_t number : found->second) {
        const auto begin = reinterpret_cast<std::uintptr_t>(places_[number].address);
        // Where it covers several words, it counts for the first that is asked about.
        if (std::max(begin, first) / kWord == word && begin < first + size &&
            first < begin + places_[number].size && is_of_this_phase(number))
          call(number);
      }
    }
  }

 private:
  static constexpr std::size_t kWord = 8;
  static constexpr std::size_t kBits = 4096;
  static constexpr int kNoPhase = -1;  // of a location that is none any more

  std::uint16_t look_up_or_add(const void* address, std::size_t size);
  [[nodiscard]] Promoted piece_at(std::uintptr_t at, std::uintptr_t end) const;
  bool cut(std::uintptr_t at);
  void forget(const Promoted& piece);

  int phase_ = 0;
  std::vector<Place> places_;
  std::unordered_map<std::uintptr_t, std::vector<std::uint16_t>> by_word_;
  std::bitset<kBits> words_;
  struct Recent {
    const void* address = nullptr;
    std::size_t size = 0;
    int phase = 0;
    std::uint16_t number = kNoLocation;
  };
  std::array<Recent, 64> recent_{};  // found last, by address: nearly all are asked for again
  std::unordered_map<std::uintptr_t, std::vector<std::uint16_t>> objects_;  // one per phase
  std::vector<Promoted> promoted_;
};

}  // namespace plumb::engine::graph
