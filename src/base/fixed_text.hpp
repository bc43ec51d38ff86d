// Text that the compiler puts together, for tables whose rows are string_views: help that lists the rows of another table.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace plumb {

class FixedText {
 public:
  template <class... Parts>
  explicit consteval FixedText(Parts... parts) {
    (append(parts), ...);
  }
  constexpr void append(std::string_view text) {
    for (const char c : text) chars_.at(size_++) = c;
  }
  // It must be static.
  [[nodiscard]] constexpr std::string_view view() const { return {chars_.data(), size_}; }

 private:
  static constexpr std::size_t kMost = 512;
  std::array<char, kMost> chars_ = {};
  std::size_t size_ = 0;
};

}  // namespace plumb
