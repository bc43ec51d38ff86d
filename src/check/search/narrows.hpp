// Narrows of a search: configurations through which every order has to pass.
//
// Where only one configuration was ever entered at a return, and no step led from before that return to behind it, all that
// lies behind can be reached from that one. What is to be found out about the end of a long history need not begin at its
// beginning then. Only some of the returns are looked at: one narrow close to the end is enough.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <plumb/model.hpp>

namespace plumb {

class Narrows {
 public:
  struct Narrow {
    StateId state = 0;
    std::uint32_t trail = 0;  // length of the trail there
  };

  // A configuration at the return `to` was entered, by a step from one at `from`.
  void enter(std::uint32_t from, std::uint32_t to, Narrow there) {
    std::uint32_t next = from / kEvery + (from == to ? 0 : 1);
    for (; next * kEvery <= to; ++next) {
      if (next >= all_.size()) all_.resize(next + 1);
      Seen& seen = all_[next];
      const bool passes = next * kEvery != to;
      if (passes && from == to) continue;  // between two that are looked at
      seen.is_narrow = !passes && !seen.was_met;
      seen.was_met = true;
      seen.there = there;
    }
  }

  // The last one at or before this return.
  [[nodiscard]] std::optional<Narrow> last_until(std::uint32_t ret) const {
    for (std::size_t i = std::min<std::size_t>(ret / kEvery + 1, all_.size()); i-- > 1;) {
      if (all_[i].is_narrow) return all_[i].there;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::uint32_t kEvery = 16;  // returns
  struct Seen {
    Narrow there;
    bool was_met = false;
    bool is_narrow = false;
  };
  std::vector<Seen> all_;  // by number of those returns
};

}  // namespace plumb
