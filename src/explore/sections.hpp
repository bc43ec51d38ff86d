// Whether a thread did anything while it held a lock. To take a lock, look, and give it back shows others nothing: two threads that do
// so in turn, until a third does something, do not keep each other from waiting for that (yields.hpp).
#pragma once

#include <cstdint>

#include "runtime/step.hpp"

namespace plumb::engine {

class Sections {
 public:
  void clear() { *this = {}; }

  // After a step that changed something. `writes`: how often the thread wrote plainly so far. Whether others may see a difference.
  bool executed(const runtime::Step& step, std::uint64_t writes) {
    if (runtime::takes_lock(step.kind)) {
      if (held_++ == 0) begin_ = changes_ + writes;
      return false;
    }
    if (runtime::releases_lock(step.kind)) {
      if (held_ > 0) --held_;
      return changes_ + writes != begin_;
    }
    ++changes_;
    return true;
  }
  std::uint64_t changes() const { return changes_; }  // beside locks

 private:
  unsigned held_ = 0;
  std::uint64_t changes_ = 0;
  std::uint64_t begin_ = 0;  // changes and writes, when the first of the locks that it holds was taken
};

}  // namespace plumb::engine
