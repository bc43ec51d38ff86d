// Where an atomic read took its value from, or a lock was released before, along a graph, and with what a read, a lock or a fence
// synchronises: what a trace says about it.
#pragma once

#include <cstdint>
#include <vector>

namespace plumb::engine {

struct WeakRead {
  struct Access {
    int thread = -1;  // none: there is no such access, or the initial value is meant
    int event = -1;   // its number in that thread
    std::uint8_t order = 0;
    std::uint64_t value = 0;
    bool is_fence = false;
    const void* pc = nullptr;

    [[nodiscard]] bool is_known() const { return thread >= 0; }
  };
  int made = -1;       // the number, in its thread, of the event by which others know of the step; -1: none
  Access source = {};  // that it read
  Access newer = {};   // the newest write that came before it in this run and that it did not see
  int unseen = 0;      // how many such there are
  std::vector<Access> synchronises_with =
      {};  // stores and fences that release, of which it did not know before
  // An earlier read that knew of the newer write's thread, and of a time after that write, but did not synchronise; had it, the
  // newer write would have been seen.
  Access link_store = {};
  Access link_load = {};
  bool link_releases = false;  // the store of that link would have passed it on
  bool link_acquires = false;  // its load would have taken it, or a fence behind that
};

}  // namespace plumb::engine
