// Histories for tests, written tersely: as a list of operations, or drawn as a timeline.
#pragma once

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include <plumb/history.hpp>

namespace plumb::test {

// A JSON value from its text: null, booleans, integers, plain strings, arrays. A bare word is a string.
class ValueReader {
 public:
  ValueReader(std::string_view text, Values& values) : text_(text), values_(values) {}

  Value read() {
    skip_blanks();
    if (peek() == '[') return array();
    if (peek() == '"') return quoted();
    const std::size_t end = std::min(text_.find_first_of(",] ", at_), text_.size());
    const std::string_view word = text_.substr(at_, end - at_);
    at_ = end;
    if (word == "null") return kNull;
    if (word == "true") return kTrue;
    if (word == "false") return kFalse;
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error == std::errc() && stop == word.data() + word.size()) return values_.integer(number);
    return values_.string(word);
  }
  // The values of a list without its brackets: "1, 2".
  std::vector<Value> list() {
    std::vector<Value> all;
    for (skip_blanks(); at_ < text_.size() && peek() != ']'; skip_blanks()) {
      all.push_back(read());
      skip_blanks();
      if (peek() == ',') ++at_;
    }
    return all;
  }

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  void skip_blanks() {
    while (peek() == ' ') ++at_;
  }
  Value array() {
    ++at_;
    const std::vector<Value> items = list();
    if (peek() != ']') throw std::invalid_argument("expected ']' in " + std::string(text_));
    ++at_;
    return values_.array(items);
  }
  Value quoted() {
    const std::size_t end = text_.find('"', at_ + 1);
    if (end == std::string_view::npos) throw std::invalid_argument("expected '\"' in " + std::string(text_));
    const Value v = values_.string(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return v;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  Values& values_;
};

inline Value value_of(std::string_view text, Values& values) { return ValueReader(text, values).read(); }

struct Op {
  Value process;
  std::string f;
  std::vector<Value> args;
  std::optional<Value> result;  // none: the recording has none
  Time call = 0;
  Time ret = kNever;
  std::optional<Value> object = std::nullopt;

  [[nodiscard]] bool is_pending() const { return ret == kNever; }
};

// A history that can still be changed.
struct Script {
  std::shared_ptr<Values> values = std::make_shared<Values>();
  std::vector<Op> operations;
  Value initial;

  // Stands on the table of `history`, which must live as long as what is built from this.
  static Script of(const History& history) {
    Script script;
    script.values = std::make_shared<Values>(&history.values());
    script.initial = history.initial();
    for (OperationId i = 0; i < history.size(); ++i) {
      const auto args = history.args(i);
      Op op{history.process(i), history.function_name(i), {args.begin(), args.end()},
            std::nullopt,       history.call(i),          history.ret(i)};
      if (history.has_result(i)) op.result = history.result(i);
      if (history.has_objects()) op.object = history.object(i);
      script.operations.push_back(std::move(op));
    }
    return script;
  }

  // f is "enqueue(1)", "dequeue():1" or, for one that does not return, "enqueue(1)" with ret = kNever; an
  // object may stand in front: "a.enqueue(1)".
  Script& add(int process, std::string_view f, Time call, Time ret) {
    Op op{Value::small(process), "", {}, std::nullopt, call, ret};
    if (const auto dot = f.find('.'); dot != std::string_view::npos && dot < f.find_first_of("(:")) {
      op.object = values->string(f.substr(0, dot));
      f.remove_prefix(dot + 1);
    }
    const std::size_t name_end = std::min(f.find_first_of("(:"), f.size());
    op.f = f.substr(0, name_end);
    f.remove_prefix(name_end);
    if (f.starts_with('(')) {
      const std::size_t close = f.find(')');
      if (close == std::string_view::npos) throw std::invalid_argument("expected ')' in " + std::string(f));
      op.args = ValueReader(f.substr(1, close - 1), *values).list();
      f.remove_prefix(close + 1);
    }
    if (f.starts_with(':')) op.result = value_of(f.substr(1), *values);
    operations.push_back(std::move(op));
    return *this;
  }

  [[nodiscard]] Result<History> try_build() const {
    HistoryBuilder builder(values);
    for (const Op& op : operations) {
      const OperationId id = builder.add(op.process, builder.function(op.f), op.args,
                                         {op.result.value_or(kNull), op.result.has_value()}, op.call, op.ret);
      if (op.object) builder.set_object(id, *op.object);
    }
    builder.set_initial(initial);
    return builder.finish();
  }
  [[nodiscard]] History build() const {
    auto history = try_build();
    if (!history) throw std::invalid_argument(history.error().text() + "\n" + text());
    return std::move(*history);
  }

  // As native JSONL, for messages: what fails can be pasted into a file.
  [[nodiscard]] std::string text() const {
    std::string out = fmt::format("{{\"plumb\":1,\"initial\":{}}}\n", values->to_json(initial));
    for (const Op& op : operations) {
      std::vector<std::string> given;
      for (const Value arg : op.args) given.push_back(values->to_json(arg));
      out += fmt::format(R"({{"process":{},"f":"{}","args":[{}])", values->to_json(op.process), op.f,
                         fmt::join(given, ","));
      if (op.result && !op.is_pending()) out += fmt::format(R"(,"result":{})", values->to_json(*op.result));
      if (op.object) out += fmt::format(R"(,"object":{})", values->to_json(*op.object));
      out += fmt::format(",\"call\":{},\"return\":{}}}\n", op.call,
                         op.is_pending() ? "null" : fmt::to_string(op.ret));
    }
    return out;
  }
};

// One line per process; the columns are the times:
//   |--write(1)--|   |--read:2--|
//        |--write(2)-->              never returns
// A completed operation without a result, as in write, is recorded with the result null.
inline Script draw(std::string_view picture) {
  Script script;
  int process = 0;
  while (!picture.empty()) {
    const std::string_view line = picture.substr(0, picture.find('\n'));
    picture.remove_prefix(std::min(line.size() + 1, picture.size()));
    bool any = false;
    for (std::size_t open = line.find('|'); open != std::string_view::npos;) {
      const std::size_t close = line.find_first_of("|>", open + 1);
      if (close == std::string_view::npos) throw std::invalid_argument("no end: " + std::string(line));
      std::string_view text = line.substr(open + 1, close - open - 1);
      text.remove_prefix(std::min(text.find_first_not_of("- "), text.size()));
      text = text.substr(0, text.find_last_not_of("- ") + 1);
      const bool pending = line[close] == '>';
      script.add(process, text, static_cast<Time>(open), pending ? kNever : static_cast<Time>(close));
      if (!pending && !script.operations.back().result) script.operations.back().result = kNull;
      any = true;
      open = line.find('|', close + 1);
    }
    if (any) ++process;
  }
  return script;
}

}  // namespace plumb::test
