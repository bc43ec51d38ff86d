// hist: the text of the LiMo tool. "[1] call add(1)", "[1] return", "[2] return empty"; "# @object
// atomic-queue" names the model and starts a history; other lines with # are comments.
//
// A removal may carry what it removed: "pop(5)" with a bare "return" is a pop that returned 5. A call line
// that stands twice in a row, as in one of LiMo's own files, is an operation that never returned and another
// one after it.
#include <algorithm>
#include <limits>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "history/codecs.hpp"
#include "history/event_writer.hpp"
#include "history/function_names.hpp"
#include "history/jepsen_convention.hpp"
#include "history/sniff.hpp"
#include "history/text.hpp"

namespace plumb {
namespace {

constexpr std::string_view kObject = "@object";
constexpr std::string_view kName = "@name";
constexpr std::string_view kAtomic = "atomic-";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

// Models whose insertions return nothing and whose removals take nothing. A file that does not say is one of
// these.
bool is_container(std::string_view model) {
  return model.empty() || is_one_of(model, {"queue", "stack", "deque", "priority-queue"});
}

bool is_removal(std::string_view model, std::string_view function) {
  return is_container(model) && is_one_of(function, {"pop", "remove", "deq", "dequeue", "poll", "take",
                                                     "extract_min", "delete_min", "pop_front", "pop_back"});
}

// What a bare "return" means: of a removal that does not say what it removed, that there was nothing.
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

// The parts between commas; those inside brackets of any kind do not divide: ?<0,1> is one value.
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

class HistReader {
 public:
  explicit HistReader(std::string_view text) : text_(text), lines_(text) {}

  Result<std::vector<History>> run() {
    while (lines_.next()) {
      const std::string_view line = trim(lines_.text());
      if (line.empty()) continue;
      auto status = line.front() == '#' ? comment(line) : event(line);
      if (!status) return status.error();
      line_before_ = line;
    }
    if (started_ || histories_.empty()) {
      if (auto status = finish_history(); !status) return status.error();
    }
    return std::move(histories_);
  }

 private:
  Status comment(std::string_view line) {
    const std::string_view text = trim(line.substr(1));
    if (text.starts_with(kName)) builder_.set_name(std::string(trim(text.substr(kName.size()))));
    if (!text.starts_with(kObject)) return Done{};
    if (started_) {
      if (auto status = finish_history(); !status) return status;
    }
    std::string_view model = trim(text.substr(kObject.size()));
    if (model.empty()) return missing(line, "the name of an object, such as atomic-queue");
    if (model.starts_with(kAtomic)) model.remove_prefix(kAtomic.size());
    model_ = model;
    builder_.set_model(model_);
    started_ = true;
    return Done{};
  }

  Status event(std::string_view line) {
    started_ = true;
    const auto process = process_label(line);
    if (!process) {
      return Error{"expected a line such as \"[1] call add(1)\", with a whole number for the process",
                   lines_.place(line.data())};
    }
    const Place place = lines_.place(line.data());
    const std::string_view text = trim(line.substr(line.find(']') + 1));
    const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
    const std::string_view verb = text.substr(0, end);
    const std::string_view rest = trim(text.substr(end));
    if (text.empty()) return missing(line, "\"call\" or \"return\"");
    if (verb == "return") return complete(value_of(*process), rest, place);
    if (verb == "call") {
      if (rest.empty()) return missing(line, "the function");
      if (line == line_before_) abandon(*process);
      return call(value_of(*process), rest, place);
    }
    return Error{fmt::format("expected \"call\" or \"return\", found '{}'", verb), lines_.place(verb.data())};
  }

  Value value_of(std::int64_t process) {
    const auto renamed = renamed_.find(process);
    return builder_.values().integer(renamed == renamed_.end() ? process : renamed->second);
  }

  // The running operation of this process never returns; from here on its name stands for a new process.
  void abandon(std::int64_t process) {
    if (fresh_process_ == 0) {
      for (Lines all(text_); all.next();) {
        const auto label = process_label(trim(all.text()));
        if (label && *label < std::numeric_limits<std::int32_t>::max())
          fresh_process_ = std::max(fresh_process_, *label);
      }
    }
    renamed_[process] = ++fresh_process_;
  }

  static std::optional<std::int64_t> process_label(std::string_view line) {
    const std::size_t close = line.find(']');
    if (!line.starts_with('[') || close == std::string_view::npos) return std::nullopt;
    return parse_integer(trim(line.substr(1, close - 1)));
  }

  Status call(Value process, std::string_view text, Place place) {
    const std::size_t end = std::min(text.find_first_of(" \t("), text.size());
    const std::string_view function = text.substr(0, end);
    std::string_view inside = trim(text.substr(end));
    if (function.empty())
      return Error{"expected the function's name after \"call\"", lines_.place(text.data())};
    if (inside.starts_with('(')) {
      if (!inside.ends_with(')')) return missing(text, "')'");
      inside = inside.substr(1, inside.size() - 2);
    }
    std::vector<Value> args;
    for (const std::string_view part : split_arguments(inside)) {
      if (part.empty()) return Error{"an empty argument; expected a value", lines_.place(part.data())};
      args.push_back(parse_value(part, builder_.values()));
    }
    if (args.size() > HistoryBuilder::kMaxArguments) {
      return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                   place};
    }
    removed_.erase(process);
    if (args.size() == 1 && is_removal(model_, function)) {
      removed_.emplace(process, parse_result(trim(inside), builder_.values()));
      args.clear();
    }
    const auto id = names_.id(builder_, function);
    if (!id) return FunctionNames::too_many(place);
    auto called = builder_.call(process, *id, args, place);
    return called ? Status(Done{}) : called.error();
  }

  Status complete(Value process, std::string_view text, Place place) {
    HistoryBuilder::Completed completed{parse_result(text, builder_.values()), true};
    const auto removed = removed_.find(process);
    if (removed != removed_.end()) {
      if (!text.empty() && completed.result != removed->second) {
        return Error{fmt::format("returns {}, but its call names {}; expected the same, or a bare return",
                                 text, builder_.values().to_json(removed->second)),
                     lines_.place(text.data())};
      }
      completed.result = removed->second;
    } else if (text.empty() && builder_.is_open(process)) {
      completed = bare_return(model_, builder_.function_name(builder_.open_operation(process)));
    }
    auto done = builder_.complete(process, completed, place);
    return done ? Status(Done{}) : done.error();
  }

  [[nodiscard]] Error missing(std::string_view after, std::string_view what) const {
    return Error{fmt::format("the line ends where {} was expected", what),
                 lines_.place(after.data() + after.size())};
  }

  Status finish_history() {
    auto history = builder_.finish();
    if (!history) return history.error();
    histories_.push_back(std::move(*history));
    names_.clear();
    removed_.clear();
    renamed_.clear();
    model_.clear();
    started_ = false;
    return Done{};
  }

  std::string_view text_;
  Lines lines_;
  std::string_view line_before_;
  HistoryBuilder builder_;
  FunctionNames names_;
  absl::flat_hash_map<Value, Value> removed_;  // what the running removal of a process says it removes
  absl::flat_hash_map<std::int64_t, std::int64_t> renamed_;
  std::int64_t fresh_process_ = 0;
  std::string model_;
  std::vector<History> histories_;
  bool started_ = false;
};

// Whether a word comes back as it is: visible, and in one piece.
bool is_plain(std::string_view word) {
  return !word.empty() &&
         std::ranges::none_of(word, [](char c) { return static_cast<unsigned char>(c) <= 0x20; });
}

class HistWriter {
 public:
  HistWriter(const History& history, std::string& out)
      : history_(history), out_(out), again_(&history.values()) {}

  Status run() {
    if (auto status = header(); !status) return status;
    if (auto status = check_event_order(history_, "hist"); !status) return status;
    for (const Event event : history_.events()) {
      auto status = event.is_return() ? complete(event.operation()) : call(event.operation());
      if (!status) return status;
    }
    return Done{};
  }

 private:
  Status header() {
    const std::string& model = history_.model();
    if (!history_.initial().is_null()) return Error{"hist cannot hold an initial value"};
    if (!is_plain(model) && !(model.empty() && out_.empty())) {
      return Error{fmt::format(
          "hist cannot hold the model name '{}'; several histories in a file need one each", model)};
    }
    if (!model.empty()) fmt::format_to(std::back_inserter(out_), "# {} {}{}\n", kObject, kAtomic, model);
    const std::string& name = history_.name();
    if (name.empty()) return Done{};
    if (trim(name) != name || name.find_first_of("\r\n") != std::string::npos)
      return Error{"hist cannot hold the name " + name};
    fmt::format_to(std::back_inserter(out_), "# {} {}\n", kName, name);
    return Done{};
  }

  Status call(OperationId op) {
    const std::string& function = history_.function_name(op);
    if (!history_.object(op).is_null()) return cannot(op, "the object it names");
    if (!is_plain(function) || function.find('(') != std::string::npos) return cannot(op, "its name");
    if (is_removal(history_.model(), function) && history_.args(op).size() == 1)
      return cannot(op, "its argument");
    fmt::format_to(std::back_inserter(out_), "[{}] call {}", history_.values().to_json(history_.process(op)),
                   function);
    std::string inside;
    for (const Value arg : history_.args(op)) {
      if (!inside.empty()) inside += ',';
      const auto text = word(arg);
      if (!text) return cannot(op, "an argument");
      inside += *text;
    }
    const auto parts = split_arguments(inside);
    if (!std::ranges::equal(parts, history_.args(op), {},
                            [&](std::string_view part) { return parse_value(part, again_); })) {
      return cannot(op, "its arguments");
    }
    if (!inside.empty()) out_ += "(" + inside + ")";
    out_ += '\n';
    return Done{};
  }

  Status complete(OperationId op) {
    const auto bare = bare_return(history_.model(), history_.function_name(op));
    fmt::format_to(std::back_inserter(out_), "[{}] return", history_.values().to_json(history_.process(op)));
    if (bare.has_result != history_.has_result(op) || bare.result != history_.result(op)) {
      const Value result = history_.result(op);
      const auto text = result.is_null() ? std::optional<std::string>("empty") : word(result);
      if (!history_.has_result(op) || !text || parse_result(*text, again_) != result)
        return cannot(op, "its result");
      out_ += " " + *text;
    }
    out_ += '\n';
    return Done{};
  }

  [[nodiscard]] std::optional<std::string> word(Value value) const {
    const Values& values = history_.values();
    const ValueKind kind = values.kind(value);
    if (kind == ValueKind::kInteger || kind == ValueKind::kBool) return values.to_json(value);
    if (kind != ValueKind::kString || !is_plain(values.as_string(value))) return std::nullopt;
    return std::string(values.as_string(value));
  }

  [[nodiscard]] Error cannot(OperationId op, std::string_view what) const {
    return Error{fmt::format("hist cannot hold {} of operation {} ({})", what, op, history_.describe(op))};
  }

  const History& history_;
  std::string& out_;
  Values again_;  // for what is read again to see whether it is the same
};

class HistCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "hist"; }
  [[nodiscard]] std::string_view summary() const override { return "the text of the LiMo tool"; }
  [[nodiscard]] bool recognises(std::string_view head) const override { return sniff(head) == Shape::kHist; }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    const std::string_view text = without_byte_order_mark(bytes);
    if (auto status = check_utf8(text); !status) return status.error();
    return HistReader(text).run();
  }
  [[nodiscard]] bool can_write() const override { return true; }
  [[nodiscard]] Status write(const History& history, std::string& out) const override {
    return HistWriter(history, out).run();
  }
};

}  // namespace

const Codec& hist_codec() {
  static const HistCodec codec;
  return codec;
}

}  // namespace plumb
