#include "formats/hist_words.hpp"

#include <algorithm>

#include "formats/jepsen_convention.hpp"
#include "history/number.hpp"
#include "history/text.hpp"

namespace plumb::hist {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Models whose insertions return nothing and whose removals take nothing. A file that does not say is one of
// these.
bool is_container(std::string_view model) {
  return model.empty() || is_one_of(model, {"queue", "stack", "deque", "priority-queue"});
}

}  // namespace

bool is_removal(std::string_view model, std::string_view function) {
  return is_container(model) && is_one_of(function, {"pop", "remove", "deq", "dequeue", "poll", "take",
                                                     "extract_min", "delete_min", "pop_front", "pop_back"});
}

HistoryBuilder::Completed bare_return(std::string_view model, std::string_view function) {
  const JepsenKind kind = jepsen_kind(function);
  const bool returns_nothing = kind == JepsenKind::kVoid || kind == JepsenKind::kKeyed ||
                               (is_container(model) && is_one_of(function, {"add", "insert"}));
  return {kNull, returns_nothing || is_removal(model, function)};
}

Value parse_value(std::string_view text, Values& values) {
  if (const auto number = parse_integer(text)) return values.integer(*number);
  if (text == "true" || text == "false") return Value::boolean(text == "true");
  return values.string(text);
}

Value parse_result(std::string_view text, Values& values) {
  return text == "empty" ? kNull : parse_value(text, values);
}

std::vector<std::string_view> split_arguments(std::string_view text) {
  std::vector<std::string_view> parts;
  if (trim(text).empty()) return parts;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++depth;
    if (c == '>' || c == ')' || c == ']' || c == '}') --depth;
    if (c != ',' || depth > 0) continue;
    parts.push_back(trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(trim(text.substr(begin)));
  return parts;
}

}  // namespace plumb::hist
