// JSON as text, streamed: commas, quotes, escapes and control characters are written here and nowhere else.
//
//   JsonWriter json;
//   json.object([&] {
//     json.member("file", file);
//     json.member("elapsed_ms", JsonWriter::Fixed{elapsed, 3});
//     json.key("operations").array(ids);
//   });
//   return json.take();
#pragma once

#include <algorithm>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "history/printable.hpp"

namespace plumb {

class JsonWriter {
 public:
  struct Raw {  // is JSON already, a value of a history
    std::string_view json;
  };
  struct Fixed {  // a number with so many digits after its point
    double number;
    int digits;
  };

  void value(std::string_view text) {
    if (!std::ranges::all_of(text, needs_no_escape)) return item(json_string(text));
    plain("\"");
    out_ += text;
    out_ += '"';
  }
  void value(const char* text) { value(std::string_view(text)); }
  void value(std::nullptr_t /*null*/) { plain("null"); }
  void value(Raw raw) { item(raw.json); }
  void value(Fixed fixed) { plain(fmt::format("{:.{}f}", fixed.number, fixed.digits)); }
  template <std::integral T>
  void value(T number) {
    if constexpr (std::same_as<T, bool>) {
      plain(number ? "true" : "false");
    } else {
      const fmt::format_int text(number);
      plain({text.data(), text.size()});
    }
  }
  template <class T>
  void value(const std::optional<T>& known) {
    known ? value(*known) : value(nullptr);
  }

  // Of an object: a value follows.
  JsonWriter& key(std::string_view name) {
    value(name);
    out_ += ':';
    needs_comma_ = false;
    return *this;
  }
  template <class T>
  void member(std::string_view name, const T& content) {
    key(name).value(content);
  }

  template <std::invocable Content>
  void object(Content&& content) {
    open('{');
    content();
    close('}');
  }
  // Each item as `write` writes it, or as a value.
  template <class Items, class Write>
  void array(const Items& items, Write&& write) {
    open('[');
    for (const auto& each : items) write(each);
    close(']');
  }
  template <class Items>
  void array(const Items& items) {
    array(items, [this](const auto& each) { this->value(each); });
  }

  [[nodiscard]] std::string take() { return std::exchange(out_, {}); }

 private:
  static constexpr bool needs_no_escape(char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; }
  void plain(std::string_view text) {
    if (needs_comma_) out_ += ',';
    out_ += text;
    needs_comma_ = true;
  }
  void item(std::string_view json) { plain(without_raw_controls(json)); }
  void open(char bracket) {
    plain({&bracket, 1});
    needs_comma_ = false;
  }
  void close(char bracket) {
    out_ += bracket;
    needs_comma_ = true;
  }

  std::string out_;
  bool needs_comma_ = false;
};

}  // namespace plumb
