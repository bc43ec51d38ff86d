// Memory that is given back when the structure ends, not before: nobody reads what was freed,
// and no address comes twice.
#pragma once

#include <atomic>
#include <utility>

template <class T>
class Kept {
 public:
  Kept() = default;
  Kept(const Kept&) = delete;
  Kept& operator=(const Kept&) = delete;
  ~Kept() {
    for (Cell* cell = newest_.load(); cell != nullptr;) {
      const Cell* const gone = cell;
      cell = cell->older;
      delete gone;
    }
  }

  template <class... As>
  T* make(As&&... args) {
    Cell* const cell = new Cell{{std::forward<As>(args)...}, nullptr};
    // Nobody follows `older` before the end, so that it may be set late.
    cell->older = newest_.exchange(cell);
    return &cell->item;
  }

 private:
  struct Cell {
    T item;
    Cell* older;
  };
  std::atomic<Cell*> newest_{nullptr};
};
