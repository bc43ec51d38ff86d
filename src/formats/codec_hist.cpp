// hist: the text of the LiMo tool. "[1] call add(1)", "[1] return", "[2] return empty"; "# @object
// atomic-queue" names the model and starts a history; other lines with # are comments.
//
// A removal may carry what it removed: "pop(5)" with a bare "return" is a pop that returned 5. A call line
// that stands twice in a row, as in one of LiMo's own files, is an operation that never returned and another
// one after it.
#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "formats/codecs.hpp"
#include "formats/event_writer.hpp"
#include "formats/hist_lines.hpp"
#include "formats/hist_words.hpp"
#include "formats/sniff.hpp"
#include "history/text.hpp"

namespace plumb {
namespace {

using namespace hist;

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
    return Ok{};
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
    if (name.empty()) return Ok{};
    if (trim(name) != name || name.find_first_of("\r\n") != std::string::npos)
      return Error{"hist cannot hold the name " + name};
    fmt::format_to(std::back_inserter(out_), "# {} {}\n", kName, name);
    return Ok{};
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
    return Ok{};
  }

  Status complete(OperationId op) {
    const auto bare = bare_return(history_.model(), history_.function_name(op));
    fmt::format_to(std::back_inserter(out_), "[{}] return", history_.values().to_json(history_.process(op)));
    // "empty" is said where it could be left out: other readers of this format expect it.
    const bool found_nothing = is_removal(history_.model(), history_.function_name(op)) &&
                               history_.has_result(op) && history_.result(op).is_null();
    if (found_nothing || bare.has_result != history_.has_result(op) || bare.result != history_.result(op)) {
      const Value result = history_.result(op);
      const auto text = result.is_null() ? std::optional<std::string>("empty") : word(result);
      if (!history_.has_result(op) || !text || parse_result(*text, again_) != result)
        return cannot(op, "its result");
      out_ += " " + *text;
    }
    out_ += '\n';
    return Ok{};
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

bool is_hist(std::string_view head) {
  for (Lines lines(head); lines.next();) {
    SniffCursor cursor(lines.text());
    cursor.skip_blanks();
    if (cursor.at_end()) continue;
    if (cursor.peek() == '#') {
      cursor.advance();
      cursor.skip_blanks();
      if (cursor.rest().starts_with("@object")) return true;
      continue;
    }
    if (cursor.peek() != '[') return false;
    cursor.advance();
    while (is_digit(cursor.peek())) cursor.advance();
    if (cursor.peek() != ']') return false;
    cursor.advance();
    cursor.skip_blanks();
    return cursor.rest().starts_with("call") || cursor.rest().starts_with("ret");
  }
  return false;
}

class HistEvents final : public EventReader {
 public:
  explicit HistEvents(EventSink& sink) : reader_(sink) {}

 private:
  [[nodiscard]] Status plain_line(std::string_view text, std::uint32_t number) override {
    Lines lines(text, number - 1);
    lines.next();
    return reader_.line(lines);
  }

  HistLines reader_;
};

class HistCodec final : public Codec {
 public:
  [[nodiscard]] std::string_view name() const override { return "hist"; }
  [[nodiscard]] std::string_view summary() const override { return "the text of the LiMo tool"; }
  [[nodiscard]] std::span<const std::string_view> endings() const override {
    static constexpr std::array<std::string_view, 1> kEndings = {".hist"};
    return kEndings;
  }
  [[nodiscard]] Recognition recognises(std::string_view head) const override {
    return is_hist(head) ? Recognition::kCertain : Recognition::kNo;
  }
  [[nodiscard]] Result<std::vector<History>> read(std::string_view bytes) const override {
    const std::string_view text = without_byte_order_mark(bytes);
    if (auto status = check_utf8(text); !status) return status.error();
    HistorySink sink;
    HistLines reader(sink, text);
    for (Lines lines(text); lines.next();) {
      if (auto status = reader.line(lines); !status) return status.error();
    }
    if (reader.started() || !sink.has_histories()) {
      if (auto status = reader.finish_history(); !status) return status.error();
    }
    return sink.take_histories();
  }
  [[nodiscard]] std::unique_ptr<EventReader> event_reader(EventSink& sink) const override {
    return std::make_unique<HistEvents>(sink);
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
