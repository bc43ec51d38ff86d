// A part laid out for the relaxed search: as for the general one, and what it asks about classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/relaxed/relaxed.hpp"
#include "check/search/wgl_layout.hpp"

namespace plumb {

struct RelaxedLayout {
  RelaxedLayout(const Part& part, const RelaxedBounds& relaxation);

  struct Class {
    std::uint32_t k;                     // places its operations may move
    std::vector<std::uint32_t> members;  // operations, by call
    std::vector<std::uint32_t> returns;  // of the members, by return: which return it is
  };

  Layout base;
  std::vector<Class> classes;
  std::vector<std::uint32_t> class_of;  // by operation; kNone: it does not move
  std::vector<std::uint32_t> ret;  // by operation: which return is its own; past the last for a pending one
  std::vector<std::uint32_t>
      returns_before;  // by operation: how many operations have returned when it is called
  // By operation of a class: another one that is the same in call and result and comes earlier both in call and return,
  // or kNone. The two can change places, so the earlier one need never come later, in either order.
  std::vector<std::uint32_t> twin;
  bool too_wide = false;  // too many operations are open at once for this search

  [[nodiscard]] std::uint32_t returns() const { return static_cast<std::uint32_t>(base.returning.size()); }
  // Operations called before the return r; all when r is past the last.
  [[nodiscard]] std::uint32_t called_until(std::uint32_t r) const {
    return r < returns() ? base.calls_until[r] + base.pending_until[r]
                         : static_cast<std::uint32_t>(base.operations.size());
  }
  [[nodiscard]] std::uint32_t pending_until(std::uint32_t r) const {
    return r < returns() ? base.pending_until[r] : static_cast<std::uint32_t>(base.pending.size());
  }
  // Operations that return, called before the return r and not returned before it.
  [[nodiscard]] std::span<const std::uint32_t> open(std::uint32_t r) const {
    if (r >= returns()) return {};
    return std::span(open_).subspan(open_start_[r], open_start_[r + 1] - open_start_[r]);
  }

 private:
  void find_times();
  void find_classes(const BoundHistory& history, const RelaxedBounds& relaxation);
  void find_twins(const Model& model);
  void find_open();

  std::vector<std::size_t> open_start_;
  std::vector<std::uint32_t> open_;
};

}  // namespace plumb
