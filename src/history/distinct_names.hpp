// Whether a name stands twice in an object. Most objects have a handful of members, whose sizes, first and last letters tell them
// apart; where they do not, each is compared with each. One with many members gets a hash table.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include <absl/container/flat_hash_set.h>

namespace plumb {

class DistinctNames {
 public:
  // False if it is there already. The text must outlive this.
  bool add(std::string_view name) {
    if (many_) return many_->insert(name).second;
    const std::uint64_t mark = mark_of(name);
    if ((marks_ & mark) != 0 && knows(name)) return false;
    marks_ |= mark;
    if (count_ == few_.size()) return add_to_many(name);
    few_[count_++] = {name.data(), name.size()};
    return true;
  }

 private:
  struct Name {  // a std::string_view would be set to zero first, sixteen times an object
    const char* data;
    std::size_t size;
    [[nodiscard]] std::string_view view() const { return {data, size}; }
  };

  // One of 64 bits.
  static std::uint64_t mark_of(std::string_view name) {
    if (name.empty()) return 1;
    const auto letter = [](char c) { return static_cast<std::uint64_t>(static_cast<unsigned char>(c)); };
    return std::uint64_t{1} << ((letter(name.front()) + 14 * letter(name.back()) + 61 * name.size()) % 64);
  }
  [[nodiscard]] bool knows(std::string_view name) const {
    return std::any_of(few_.begin(), few_.begin() + count_,
                       [&](const Name& known) { return known.view() == name; });
  }
  bool add_to_many(std::string_view name) {
    many_ = std::make_unique<absl::flat_hash_set<std::string_view>>();
    for (const Name& known : few_) many_->insert(known.view());
    return many_->insert(name).second;
  }

  std::uint64_t marks_ = 0;
  std::size_t count_ = 0;
  std::array<Name, 16> few_;  // as many as are counted; the others hold nothing
  std::unique_ptr<absl::flat_hash_set<std::string_view>> many_;
};

}  // namespace plumb
