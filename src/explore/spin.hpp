// Loops that wait. A thread that has read the same place at the same line several times, while nothing it read was
// changed, goes round in a circle: it waits until something it read changes. What counts as a read changes nothing:
// a failed compare-exchange, an exchange that left the value as it was.
#pragma once

#include <array>
#include <cstddef>

#include "runtime/step.hpp"

namespace plumb::engine {

class Spin {
 public:
  void clear() { size_ = 0; }

  // The thread read here and changed nothing.
  void saw(const runtime::Step& step) {
    for (std::size_t i = 0; i < size_; ++i) {
      if (reads_[i].pc == step.pc && reads_[i].address == step.address) {
        ++reads_[i].times;
        return;
      }
    }
    if (size_ == reads_.size()) size_ = 0;  // too long a loop to be followed: begin anew
    reads_[size_++] = {step.pc, step.address, step.size, 1};
  }

  bool repeats(const runtime::Step& step, unsigned threshold) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (reads_[i].pc == step.pc && reads_[i].address == step.address) return reads_[i].times >= threshold;
    }
    return false;
  }

  bool has_read(const runtime::Step& change) const {
    for (std::size_t i = 0; i < size_; ++i) {
      if (runtime::touch(reads_[i].address, reads_[i].bytes, change.address, change.size)) return true;
    }
    return false;
  }

 private:
  struct Read {
    const void* pc;
    const void* address;
    unsigned bytes;
    unsigned times;
  };
  std::array<Read, 16> reads_{};
  std::size_t size_ = 0;
};

}  // namespace plumb::engine
