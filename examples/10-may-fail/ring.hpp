// A bounded queue of many producers and consumers (Dmitry Vyukov's): each cell has a turn, which says whether it may be filled or emptied
// next. It is correct, but not linearizable: a cell that was taken and is not filled yet makes pop() say "empty", whatever stands
// behind it. Its users accept that: try again.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

// How a push takes its cell.
enum class Takes {
  kByCompareExchange,
  kByLoadAndStore,  // a fault: two threads may take the same one
};

template <Takes kTakes = Takes::kByCompareExchange>
class BasicRing {
 public:
  BasicRing() {
    for (std::size_t i = 0; i < kCells; ++i) cells_[i].turn.store(i, std::memory_order_relaxed);
  }

  bool push(int value) {
    std::size_t at = tail_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[at % kCells];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == at && take(at)) {
        cell.value = value;
        cell.turn.store(at + 1, std::memory_order_release);
        return true;
      }
      if (turn < at) return false;
      at = tail_.load(std::memory_order_relaxed);
    }
  }

  std::optional<int> pop() {
    std::size_t at = head_.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells_[at % kCells];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == at + 1 && head_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed)) {
        const int value = cell.value;
        cell.turn.store(at + kCells, std::memory_order_release);
        return value;
      }
      if (turn < at + 1) return std::nullopt;
      at = head_.load(std::memory_order_relaxed);
    }
  }

 private:
  static constexpr std::size_t kCells = 2;
  struct Cell {
    std::atomic<std::size_t> turn{0};
    int value = 0;
  };

  bool take(std::size_t at) {
    if constexpr (kTakes == Takes::kByCompareExchange) {
      return tail_.compare_exchange_weak(at, at + 1, std::memory_order_relaxed);
    } else {
      tail_.store(at + 1, std::memory_order_relaxed);
      return true;
    }
  }

  std::array<Cell, kCells> cells_;
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
};

using Ring = BasicRing<>;
using FaultyRing = BasicRing<Takes::kByLoadAndStore>;
