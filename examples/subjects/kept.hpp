// Memory that is given back when the structure ends, not before: nobody reads what was freed, and no address comes twice. All that
// was made hangs in lists, several of them, so that threads seldom meet there.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>

template <class T>
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    for (List& list : lists_) {
      for (Cell* cell = list.newest.load(); cell != nullptr;) {
        const Cell* const gone = cell;
        cell = cell->older;
        delete gone;
      }
    }
  }

  template <class... As>
  T* make(As&&... args) {
    Cell* const cell = new Cell{{std::forward<As>(args)...}, nullptr};
    const std::size_t mine = std::hash<std::thread::id>()(std::this_thread::get_id()) % lists_.size();
    // Nobody follows `older` before the end, so that it may be set late.
    cell->older = lists_[mine].newest.exchange(cell);
    return &cell->item;
  }

 private:
  struct Cell {
    T item;
    Cell* older;
  };
  struct alignas(64) List {
    std::atomic<Cell*> newest{nullptr};
  };
  std::array<List, 4> lists_;
};
