// Documents as JSON, an object in one line: what a program reads, and what the page for the browser holds. Of
// a history, the few things that matter most are objects with names; the operations, of which there may be a
// hundred thousand, are columns.
#include <deque>
#include <numeric>
#include <utility>
#include <variant>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/milliseconds.hpp"
#include "json/json_writer.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

// Texts that occur again and again, written once.
class Texts {
 public:
  std::size_t operator()(const std::string& text) {
    if (const auto known = index_.find(text); known != index_.end()) return known->second;
    all_.push_back(text);
    index_.emplace(all_.back(), all_.size() - 1);
    return all_.size() - 1;
  }
  [[nodiscard]] const std::deque<std::string>& all() const { return all_; }

 private:
  std::deque<std::string> all_;  // what index_ refers to stays where it is
  absl::flat_hash_map<std::string_view, std::size_t> index_;
};

// Members of an object, and what they are.
class FactsJson {
 public:
  explicit FactsJson(JsonWriter& json) : json_(json) {}

  void write(const Facts& facts) {
    for (const auto& [name, value] : facts) {
      json_.key(name);
      std::visit(*this, value.any());
    }
  }
  void operator()(const FactValue::Json& json) { json_.value(JsonWriter::Raw{json.text}); }
  void operator()(const FactValue::Decimal& decimal) {
    json_.value(JsonWriter::Fixed{decimal.number, decimal.digits});
  }
  void operator()(const FactValue::List& items) {
    json_.array(items, [&](const FactValue& each) { std::visit(*this, each.any()); });
  }
  void operator()(const Facts& facts) {
    json_.object([&] { write(facts); });
  }
  template <class Plain>
  void operator()(const Plain& plain) {
    json_.value(plain);
  }

 private:
  JsonWriter& json_;
};

// The members that a history adds.
class HistoryJson {
 public:
  HistoryJson(const HistoryView& view, JsonWriter& json)
      : view_(view), history_(view.history()), json_(json) {}

  void write() {
    if (view_.explanation()) violation(*view_.explanation());
    order();
    json_.key("columns").object([&] { columns(); });
  }

 private:
  using Raw = JsonWriter::Raw;

  void violation(const Explanation& explanation) {
    json_.key("violation").object([&] {
      json_.key("operations").array(explanation.core);
      json_.member("reason", explanation.sentence);
      json_.member("impossible", explanation.impossible);
      json_.key("named").array(explanation.named);
      json_.key("allowed").array(explanation.allowed,
                                 [&](const std::string& value) { json_.value(Raw{value}); });
      json_.member("allowed_complete", explanation.allowed_complete);
      json_.member("minimal", explanation.minimal);
      json_.key("core").array(explanation.core, [&](OperationId i) { operation(i); });
      json_.key("steps").array(explanation.prefix, [&](const ExplainedStep& step) {
        json_.object([&] {
          json_.member("operation", step.operation);
          json_.member("state", step.state);
        });
      });
      json_.key("dropped").array(explanation.dropped, [&](const Reduction& reduction) {
        json_.object([&] {
          json_.member("rule", reduction.rule);
          json_.member("operations", reduction.operations);
        });
      });
    });
  }

  void operation(OperationId i) {
    const Values& values = history_.values();
    const bool pending = history_.is_pending(i);
    json_.object([&] {
      json_.member("id", i);
      json_.member("process", Raw{values.to_json(history_.process(i))});
      json_.member("f", history_.function_name(i));
      json_.member("args", Raw{"[" + view_.arguments(i) + "]"});
      if (history_.has_result(i) && !pending) json_.member("result", Raw{values.to_json(history_.result(i))});
      json_.member("call", history_.call(i));
      json_.member("return", pending ? std::nullopt : std::optional(history_.ret(i)));
    });
  }

  void order() {
    const ReportOrder& order = view_.order();
    json_.key("order").object([&] {
      json_.key("operations").array(order.operations);
      json_.key("slots").array(order.slots);
      json_.member("of_core", order.of_core);
      json_.member("first_state", order.first_state);
      json_.key("states").array(order.states);
      if (!order.legal.empty()) json_.key("legal").array(order.legal);
    });
  }

  // One number per operation, in the order of the input.
  template <class ToNumber>
  void column(std::string_view name, const ToNumber& to_number) {
    std::vector<OperationId> all(history_.size());
    std::iota(all.begin(), all.end(), OperationId{0});
    json_.key(name).array(all, [&](OperationId i) { json_.value(to_number(i)); });
  }

  void columns() {
    const Values& values = history_.values();
    json_.key("processes").array(view_.processes(), [&](Value value) {
      json_.value(Raw{values.to_json(value)});
    });
    json_.key("functions").array(history_.functions());
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
    json_.key("texts").array(texts.all());
    json_.key("keys").array(keys.all());
    json_.key("objects").array(objects.all());
    events();
  }

  // An event is its operation times two, and one more for a return. Times are what has passed since the event
  // before; the first, which may be more than a number of JavaScript holds, is a text.
  void events() {
    const auto time = [&](Event event) {
      return event.is_return() ? history_.ret(event.operation()) : history_.call(event.operation());
    };
    const auto events = history_.events();
    Time before = events.empty() ? 0 : time(events.front());
    json_.member("start", std::to_string(before));
    json_.key("events").array(events, [&](Event event) {
      json_.value(2 * std::uint64_t{event.operation()} + (event.is_return() ? 1 : 0));
    });
    json_.key("passed").array(events, [&](Event event) {
      const auto now = static_cast<std::uint64_t>(time(event));
      json_.value(now - static_cast<std::uint64_t>(std::exchange(before, time(event))));
    });
  }

  const HistoryView& view_;
  const History& history_;
  JsonWriter& json_;
};

}  // namespace

std::string render_json(const Document& document, const ReportStyle& /*style*/) {
  JsonWriter json;
  json.object([&] {
    FactsJson(json).write(document.facts);
    if (document.subject == DocumentSubject::kHistory && document.history)
      HistoryJson(*document.history, json).write();
  });
  return json.take() + "\n";
}

}  // namespace plumb
