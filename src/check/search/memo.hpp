// The memo of a search: which configurations it has met. One flat table of fixed-size records, no pointers.
//
// A record is a few 64-bit words: the key (position and state, then the window), then the set of pending
// operations that took effect. A configuration is refused when the same key was met with a subset of its
// pending operations: whatever it can still do, the other could do as well. Refusing is sound against every
// configuration met, also one that is still being explored: of all configurations from which the goal can be
// reached but whose exploration ended without reaching it, look at one that needs the fewest further steps;
// its next step was refused or explored in vain, either way leaving another such configuration that needs
// fewer.
//
// The table grows up to a limit of bytes. From there on it forgets: records stand in sets of eight by hash,
// the least recently used of a full set makes room. Then the search may walk a path twice, but never wrongly
// (the paper's WGL+LRU).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace plumb {

class Memo {
 public:
  Memo(std::size_t key_words, std::size_t pending_words, std::size_t byte_limit)
      : key_words_(key_words), stride_(key_words + pending_words), byte_limit_(byte_limit) {
    words_.resize(capacity_ * stride_);
  }

  // True if the configuration is new; then it is remembered. record[0] must not be 0.
  bool insert(const std::uint64_t* record) {
    if (!lru_ && count_ * 4 >= capacity_ * 3) grow();
    return lru_ ? insert_forgetting(record) : insert_growing(record);
  }

  void set_byte_limit(std::size_t bytes) { byte_limit_ = bytes; }
  [[nodiscard]] std::size_t memory() const { return words_.capacity() * sizeof(std::uint64_t); }
  [[nodiscard]] bool forgets() const { return lru_; }
  void clear() {
    std::ranges::fill(words_, 0);
    count_ = 0;
  }

 private:
  static constexpr std::size_t kFirstCapacity = 64;
  static constexpr std::size_t kWays = 8;

  [[nodiscard]] std::size_t bytes_for(std::size_t capacity) const {
    return capacity * stride_ * sizeof(std::uint64_t);
  }

  [[nodiscard]] std::uint64_t hash(const std::uint64_t* record) const {
    std::uint64_t h = 0;
    for (std::size_t i = 0; i < key_words_; ++i) {
      h = (h ^ record[i]) * 0x9E37'79B9'7F4A'7C15ULL;
      h ^= h >> 32U;
    }
    return h;
  }

  // `met` has the same key and no pending operation that `record` has not.
  [[nodiscard]] bool covers(const std::uint64_t* met, const std::uint64_t* record) const {
    for (std::size_t i = 0; i < key_words_; ++i) {
      if (met[i] != record[i]) return false;
    }
    for (std::size_t i = key_words_; i < stride_; ++i) {
      if ((met[i] & ~record[i]) != 0) return false;
    }
    return true;
  }

  bool insert_growing(const std::uint64_t* record) {
    const std::size_t mask = capacity_ - 1;
    std::size_t slot = hash(record) & mask;
    for (; words_[slot * stride_] != 0; slot = (slot + 1) & mask) {
      if (covers(&words_[slot * stride_], record)) return false;
    }
    std::copy_n(record, stride_, &words_[slot * stride_]);
    ++count_;
    return true;
  }

  // Most recently used first within a set.
  bool insert_forgetting(const std::uint64_t* record) {
    std::uint64_t* const set = &words_[(hash(record) & (capacity_ / kWays - 1)) * kWays * stride_];
    std::size_t way = 0;
    bool is_new = true;
    for (; way < kWays && set[way * stride_] != 0; ++way) {
      if (!covers(set + way * stride_, record)) continue;
      is_new = false;
      break;
    }
    way = std::min(way, kWays - 1);
    std::memmove(set + stride_, set, way * stride_ * sizeof(std::uint64_t));
    std::copy_n(record, stride_, set);
    return is_new;
  }

  void grow() {
    if (bytes_for(3 * capacity_) > byte_limit_) {  // old and new table stand side by side for a moment
      lru_ = true;
      rehash(capacity_);
    } else {
      rehash(2 * capacity_);
    }
  }

  void rehash(std::size_t capacity) {
    const std::vector<std::uint64_t> old =
        std::exchange(words_, std::vector<std::uint64_t>(capacity * stride_));
    capacity_ = capacity;
    count_ = 0;
    for (std::size_t at = 0; at < old.size(); at += stride_) {
      if (old[at] == 0) continue;
      if (lru_) {
        insert_forgetting(&old[at]);
      } else {
        insert_growing(&old[at]);
      }
    }
  }

  std::size_t key_words_;
  std::size_t stride_;
  std::size_t byte_limit_;
  bool lru_ = false;
  std::size_t capacity_ = kFirstCapacity;  // records; a power of two
  std::size_t count_ = 0;
  std::vector<std::uint64_t> words_;
};

}  // namespace plumb
