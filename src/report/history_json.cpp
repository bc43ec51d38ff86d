// The report as JSON: what a program reads, and what the page for the browser holds. The few things that matter most are
// objects with names; the operations, of which there may be a hundred thousand, are columns.
#include <deque>
#include <iterator>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/history_view.hpp"

namespace plumb {
namespace {

constexpr auto kAsIs = [](const std::string& json) { return json; };
constexpr auto kNumber = [](auto number) { return fmt::format("{}", number); };

template <class Items, class ToText>
std::string json_list(const Items& items, const ToText& to_text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += to_text(item);
  }
  return out + "]";
}

// Texts that occur again and again, written once.
class Texts {
 public:
  std::size_t operator()(const std::string& text) {
    if (const auto known = index_.find(text); known != index_.end()) return known->second;
    all_.push_back(text);
    index_.emplace(all_.back(), all_.size() - 1);
    return all_.size() - 1;
  }
  [[nodiscard]] std::string json() const { return json_list(all_, json_string); }

 private:
  std::deque<std::string> all_;  // what index_ refers to stays where it is
  absl::flat_hash_map<std::string_view, std::size_t> index_;
};

class JsonWriter {
 public:
  explicit JsonWriter(const HistoryView& view) : view_(view), history_(view.history()) {}

  std::string write() {
    head();
    if (view_.explanation()) violation(*view_.explanation());
    order();
    columns();
    return without_raw_controls(out_) + "}\n";
  }

 private:
  void head() {
    const Verdict& verdict = view_.verdict();
    const ReportSource& source = view_.source();
    out_ += fmt::format(
        R"({{"file":{},"history":{},"verdict":"{}","model":{},"engine":{},"why":{},"operations":{},"pending":{},"processes":{},"elapsed_ms":{:.3f},"sentence":{})",
        json_string(source.file), source.index, to_string(verdict.outcome), json_string(source.model),
        json_string(verdict.engine), json_string(verdict.why), history_.size(), history_.pending(),
        history_.processes(), verdict.elapsed_ms, json_string(view_.sentence()));
    if (!history_.name().empty()) out_ += ",\"name\":" + json_string(history_.name());
  }

  void violation(const Explanation& explanation) {
    out_ += fmt::format(
        R"(,"violation":{{"operations":{},"reason":{},"impossible":{},"allowed":{},"allowed_complete":{},"minimal":{},"core":{},"steps":{},"dropped":{}}})",
        json_list(explanation.core, kNumber), json_string(explanation.sentence), explanation.impossible,
        json_list(explanation.allowed, kAsIs), explanation.allowed_complete, explanation.minimal,
        json_list(explanation.core, [&](OperationId i) { return operation(i); }),
        json_list(explanation.prefix,
                  [](const ExplainedStep& step) {
                    return fmt::format(R"({{"operation":{},"state":{}}})", step.operation,
                                       json_string(step.state));
                  }),
        json_list(explanation.dropped, [](const Reduction& reduction) {
          return fmt::format(R"({{"rule":{},"operations":{}}})", json_string(reduction.rule),
                             reduction.operations);
        }));
  }

  [[nodiscard]] std::string operation(OperationId i) const {
    const bool pending = history_.is_pending(i);
    const std::string result = history_.has_result(i) && !pending
                                   ? ",\"result\":" + history_.values().to_json(history_.result(i))
                                   : "";
    return fmt::format(R"({{"id":{},"process":{},"f":{},"args":[{}]{},"call":{},"return":{}}})", i,
                       history_.values().to_json(history_.process(i)), json_string(history_.function_name(i)),
                       view_.arguments(i), result, history_.call(i),
                       pending ? "null" : fmt::format("{}", history_.ret(i)));
  }

  void order() {
    const ReportOrder& order = view_.order();
    out_ +=
        fmt::format(R"(,"order":{{"operations":{},"slots":{},"of_core":{},"first_state":{},"states":{}{}}})",
                    json_list(order.operations, kNumber), json_list(order.slots, kNumber), order.of_core,
                    order.first_state, json_list(order.states, json_string),
                    order.legal.empty() ? "" : ",\"legal\":" + json_list(order.legal, kNumber));
  }

  // One number an operation, in the order of the input.
  template <class ToNumber>
  void column(std::string_view name, const ToNumber& to_number) {
    out_ += fmt::format(",\"{}\":[", name);
    for (OperationId i = 0; i < history_.size(); ++i) {
      if (i != 0) out_ += ',';
      fmt::format_to(std::back_inserter(out_), "{}", to_number(i));
    }
    out_ += ']';
  }

  void columns() {
    const Values& values = history_.values();
    out_ += fmt::format(R"(,"columns":{{"processes":{},"functions":{})",
                        json_list(view_.processes(), [&](Value v) { return values.to_json(v); }),
                        json_list(history_.functions(), json_string));
    column("process", [&](OperationId i) { return view_.lane(i); });
    column("function", [&](OperationId i) { return history_.function(i); });
    Texts texts;
    column("arguments", [&](OperationId i) { return texts(view_.arguments(i)); });
    column("result", [&](OperationId i) {
      const auto result = view_.result(i);
      return result ? static_cast<std::int64_t>(texts(*result)) : -1;
    });
    Texts keys;
    column("key", [&](OperationId i) {
      const auto key = view_.key(i);
      return key ? static_cast<std::int64_t>(keys(values.to_json(*key))) : -1;
    });
    Texts objects;
    if (history_.has_objects()) {
      column("object", [&](OperationId i) { return objects(values.to_json(history_.object(i))); });
    }
    column("line", [&](OperationId i) { return history_.place(i).line; });
    out_ += fmt::format(R"(,"texts":{},"keys":{},"objects":{})", texts.json(), keys.json(), objects.json());
    events();
    out_ += '}';
  }

  // An event is its operation times two, and one more for a return. Times are what has passed since the event before.
  void events() {
    const auto time = [&](Event event) {
      return event.is_return() ? history_.ret(event.operation()) : history_.call(event.operation());
    };
    const auto events = history_.events();
    out_ += fmt::format(R"(,"start":"{}","events":)", events.empty() ? 0 : time(events.front()));
    out_ += json_list(events, [](Event event) {
      return fmt::format("{}", 2 * std::uint64_t{event.operation()} + (event.is_return() ? 1 : 0));
    });
    out_ += ",\"passed\":";
    Time before = events.empty() ? 0 : time(events.front());
    out_ += json_list(events, [&](Event event) {
      const auto now = static_cast<std::uint64_t>(time(event));
      return fmt::format("{}", now - static_cast<std::uint64_t>(std::exchange(before, time(event))));
    });
  }

  const HistoryView& view_;
  const History& history_;
  std::string out_;
};

}  // namespace

std::string render_json(const HistoryView& view) { return JsonWriter(view).write(); }

}  // namespace plumb
