// For the oracles: which operations may come next in an order, by the definition and nothing else.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/part.hpp"

namespace plumb {

class Candidates {
 public:
  explicit Candidates(const Part& part) : end_(static_cast<std::uint32_t>(part.events.size())) {
    for (std::uint32_t at = 0; at < end_; ++at) {
      const OperationId op = part.events[at].operation();
      if (part.events[at].is_return()) {
        std::ranges::find(all_, op, &Candidate::operation)->ret = at;
      } else {
        all_.push_back({op, at, end_, false});
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  [[nodiscard]] OperationId operation(std::size_t i) const { return all_[i].operation; }
  // The first return of an operation that is not in the order yet: nothing that was called after it may come next. Past the
  // last event when only pending operations are left, which need not happen.
  [[nodiscard]] std::uint32_t deadline() const {
    std::uint32_t first = end_;
    for (const Candidate& candidate : all_) {
      if (!candidate.done) first = std::min(first, candidate.ret);
    }
    return first;
  }
  [[nodiscard]] bool may_come(std::size_t i, std::uint32_t deadline) const {
    return !all_[i].done && all_[i].call <= deadline;
  }
  void set_done(std::size_t i, bool done) { all_[i].done = done; }

 private:
  struct Candidate {
    OperationId operation;
    std::uint32_t call;  // position in the part
    std::uint32_t ret;   // position; past the end for a pending operation
    bool done;           // it is in the order
  };

  std::uint32_t end_;
  std::vector<Candidate> all_;
};

}  // namespace plumb
