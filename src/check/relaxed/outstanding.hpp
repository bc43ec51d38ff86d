// What the two orders of a relaxed search owe each other: operations that stand in one of them and not yet in the other.
// Equal lists are kept once and have one number, so that a configuration is a few words.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

namespace plumb {

// One operation that is displaced, in a word, so that lists are compared as words.
class Displaced {
 public:
  // `ahead`: it stands in the legal history already, and not in the sequentialization; otherwise the other way round. `age`:
  // how many places its class has been given since its own, that one counted.
  Displaced(std::uint32_t operation, bool ahead, std::uint32_t age)
      : word_(std::uint64_t{operation} << 32U | (ahead ? kAhead : 0) | age) {}
  [[nodiscard]] std::uint32_t operation() const { return static_cast<std::uint32_t>(word_ >> 32U); }
  [[nodiscard]] bool is_ahead() const { return (word_ & kAhead) != 0; }
  [[nodiscard]] std::uint32_t age() const { return static_cast<std::uint32_t>(word_ & (kAhead - 1)); }
  void increment_age() { ++word_; }
  friend bool operator==(Displaced, Displaced) = default;
  friend bool operator<(Displaced a, Displaced b) { return a.word_ < b.word_; }
  template <class H>
  friend H AbslHashValue(H h, Displaced owed) {
    return H::combine(std::move(h), owed.word_);
  }

 private:
  static constexpr std::uint64_t kAhead = std::uint64_t{1} << 31U;
  std::uint64_t word_;
};

class OutstandingLists {
 public:
  static constexpr std::uint32_t kEmpty = 0;

  OutstandingLists() : index_(0, Hash{this}, Equal{this}) { intern({}); }
  OutstandingLists(const OutstandingLists&) = delete;
  OutstandingLists& operator=(const OutstandingLists&) = delete;

  // The number of a list that is sorted.
  std::uint32_t intern(std::span<const Displaced> list) {
    return *index_.lazy_emplace(list, [&](const auto& construct) {
      const auto id = static_cast<std::uint32_t>(lists_.size());
      lists_.push_back({items_.size(), list.size()});
      items_.insert(items_.end(), list.begin(), list.end());
      construct(id);
    });
  }
  // Until the next intern().
  [[nodiscard]] std::span<const Displaced> operator[](std::uint32_t id) const {
    return std::span(items_).subspan(lists_[id].first, lists_[id].size);
  }
  [[nodiscard]] std::size_t memory() const {
    return items_.capacity() * sizeof(Displaced) + lists_.capacity() * sizeof(List) + index_.capacity() * 5;
  }

 private:
  struct List {
    std::size_t first;
    std::size_t size;
  };
  struct Hash {
    using is_transparent = void;
    const OutstandingLists* all;
    std::size_t operator()(std::span<const Displaced> list) const {
      return absl::Hash<absl::Span<const Displaced>>()({list.data(), list.size()});
    }
    std::size_t operator()(std::uint32_t id) const { return (*this)((*all)[id]); }
  };
  struct Equal {
    using is_transparent = void;
    const OutstandingLists* all;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t a, std::span<const Displaced> b) const {
      return std::ranges::equal((*all)[a], b);
    }
    bool operator()(std::span<const Displaced> a, std::uint32_t b) const { return (*this)(b, a); }
  };
  std::vector<Displaced> items_;
  std::vector<List> lists_;
  absl::flat_hash_set<std::uint32_t, Hash, Equal> index_;
};

}  // namespace plumb
