// Of all the trails that a search walks, the one that came furthest. The trail changes at its end only, and so does what is kept
// of it: whatever was pushed is copied once at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace plumb {

class LongestTrail {
 public:
  void keep(const std::vector<std::uint32_t>& trail) {
    kept_.resize(common_);
    kept_.insert(kept_.end(), trail.begin() + static_cast<std::ptrdiff_t>(common_), trail.end());
    common_ = trail.size();
  }
  // The trail has become this short.
  void shorten(std::size_t length) { common_ = std::min(common_, length); }
  [[nodiscard]] const std::vector<std::uint32_t>& kept() const { return kept_; }

 private:
  std::vector<std::uint32_t> kept_;
  std::size_t common_ = 0;  // how much of it is still what the trail begins with
};

}  // namespace plumb
