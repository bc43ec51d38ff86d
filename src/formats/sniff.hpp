// What codecs look with at the beginning of a text, to recognise it.
#pragma once

#include <algorithm>
#include <optional>
#include <string_view>
#include <vector>

#include "history/text.hpp"

namespace plumb {

class SniffCursor {
 public:
  explicit SniffCursor(std::string_view text) : rest_(text) {}

  [[nodiscard]] char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  void advance() { rest_.remove_prefix(rest_.empty() ? 0 : 1); }
  void skip_blanks(std::string_view more = {}) {
    while (!rest_.empty() && (is_blank(peek()) || more.find(peek()) != std::string_view::npos)) advance();
  }
  void skip_line() {
    while (!rest_.empty() && peek() != '\n') advance();
  }
  std::string_view string() {  // the text between quotes, escapes left as they are
    advance();
    const char* begin = rest_.data();
    while (!rest_.empty() && peek() != '"') {
      if (peek() == '\\') advance();
      advance();
    }
    const std::string_view text(begin, static_cast<std::size_t>(rest_.data() - begin));
    advance();
    return text;
  }

 private:
  std::string_view rest_;
};

// The names of the members of a JSON object, not those of what is inside.
class JsonNames {
 public:
  explicit JsonNames(std::vector<std::string_view> names) : names_(std::move(names)) {}
  [[nodiscard]] bool has(std::string_view name) const {
    return std::ranges::find(names_, name) != names_.end();
  }

 private:
  std::vector<std::string_view> names_;
};

// Of the first document of a text that is JSON, in an array or not. Headers are passed over if something
// follows them. Nothing for what does not begin like JSON.
[[nodiscard]] std::optional<JsonNames> sniff_json(std::string_view head);

// What plumb itself writes and is no history, a certificate or a verdict as JSON: a sentence that says so,
// and what it is for. Empty for everything else.
[[nodiscard]] std::string_view not_a_history(std::string_view head);

}  // namespace plumb
