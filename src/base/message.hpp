// Fields one after the other in one text: what processes of the same program tell each other. A reader that finds less than
// it expects gives zeros and empty texts, and says at the end that something was missing.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/little_endian.hpp"

namespace plumb {

class MessageWriter {
 public:
  MessageWriter& number(std::uint64_t number) {
    char bytes[sizeof number];
    store_little(number, bytes);
    text_.append(bytes, sizeof bytes);
    return *this;
  }
  MessageWriter& text(std::string_view text) {
    number(text.size());
    text_ += text;
    return *this;
  }
  // Plain numbers or structures of them.
  template <class T>
  MessageWriter& list(std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    return text({reinterpret_cast<const char*>(items.data()), items.size_bytes()});
  }
  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

class MessageReader {
 public:
  explicit MessageReader(std::string_view text) : rest_(text) {}

  std::uint64_t number() {
    const std::string_view bytes = next(sizeof(std::uint64_t));
    return bytes.empty() ? 0 : load_little<std::uint64_t>(bytes.data());
  }
  std::string_view text() { return next(number()); }
  template <class T>
  std::vector<T> list() {
    static_assert(std::is_trivially_copyable_v<T>);
    const std::string_view bytes = text();
    std::vector<T> items(bytes.size() / sizeof(T));
    if (!items.empty()) std::memcpy(items.data(), bytes.data(), items.size() * sizeof(T));
    return items;
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  // Everything was there so far.
  [[nodiscard]] bool ok() const { return ok_; }

 private:
  std::string_view next(std::uint64_t size) {
    if (size > rest_.size()) {
      ok_ = false;
      rest_ = {};
      return {};
    }
    const std::string_view field = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return field;
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace plumb
