// Snapshots, one behind the other in one piece of memory: a search saves one where it will have to come back, and drops it when it has
// gone all ways from there. The last one is all that it ever needs.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <vector>

namespace plumb::engine {

class Snapshots {
 public:
  // Begins one; it may have so many bytes.
  char* begin(std::size_t most) {
    const std::size_t from = ends_.empty() ? 0 : ends_.back();
    if (from + most > capacity_) grow(from, from + most);
    return memory_.get() + from;
  }
  void end(const char* to) { ends_.push_back(static_cast<std::size_t>(to - memory_.get())); }
  [[nodiscard]] const char* last() const {
    return memory_.get() + (ends_.size() > 1 ? ends_[ends_.size() - 2] : 0);
  }
  void drop() { ends_.pop_back(); }
  [[nodiscard]] std::size_t count() const { return ends_.size(); }
  void drop_to(std::size_t count) { ends_.resize(count); }

 private:
  void grow(std::size_t used, std::size_t needed) {
    capacity_ = needed * 2;
    auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
    if (used > 0) std::memcpy(larger.get(), memory_.get(), used);
    memory_ = std::move(larger);
  }

  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::vector<std::size_t> ends_;
};

}  // namespace plumb::engine
