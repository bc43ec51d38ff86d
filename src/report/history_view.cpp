#include "report/history_view.hpp"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "base/count_of.hpp"
#include "history/printable.hpp"
#include "report/order_before.hpp"
#include "spec/bind.hpp"

namespace plumb {
namespace {

constexpr std::size_t kFewStates = 4000;  // kept of any order, however large each is
constexpr std::size_t kStateBytes = 4'000'000;
constexpr std::size_t kLongestState = 400;  // bytes
constexpr std::size_t kMostAllowed = 6;     // results listed

}  // namespace

Result<HistoryView> HistoryView::make(std::shared_ptr<const History> history, const Model& model,
                                      std::shared_ptr<const Verdict> verdict, const ReportSource& source,
                                      const CheckOptions& options, Detail detail) {
  const auto bound = BoundHistory::bind(*history, model);
  if (!bound) return bound.error();
  HistoryView view(std::move(history), std::move(verdict), source);
  if (view.source_.model.empty()) view.source_.model = model.name();
  view.keep_of_model(*bound, detail);
  view.place_operations();
  if (view.verdict_->outcome == Outcome::kViolation) {
    auto explanation = explain(*view.history_, model, *view.verdict_, options);
    if (!explanation) return explanation.error();
    view.explanation_ = std::move(explanation).value();
    if (detail == Detail::kAll) view.place_longest_prefix(model, options);
  } else {
    const auto& order = view.verdict_->linearization;
    const auto& legal = view.verdict_->legal;
    view.place_order(model, order, legal == order ? std::vector<OperationId>() : legal);
  }
  if (detail == Detail::kAll) view.keep_many_states(model);
  return view;
}

void HistoryView::keep_of_model(const BoundHistory& bound, Detail detail) {
  is_keyed_ = bound.model().is_keyed();
  returns_nothing_.resize(history_->functions().size());
  for (OperationId i = 0; i < history_->size(); ++i)
    returns_nothing_[history_->function(i)] = bound.spec(i).returns == Returns::kNothing;
  if (!is_keyed_ || detail != Detail::kAll) return;
  key_.reserve(history_->size());
  for (OperationId i = 0; i < history_->size(); ++i) key_.push_back(bound.model().key(bound.call(i)));
}

// What the check found, unless that is about another return than the core is about; then, an order of all
// that happened before the impossible return; and where there is none either, an order of the core.
void HistoryView::place_longest_prefix(const Model& model, const CheckOptions& options) {
  const Violation& violation = *verdict_->violation;
  if (!violation.of_core_only && violation.stuck == explanation_->impossible)
    return place_order(model, violation.prefix, violation.legal_prefix);
  if (auto order = order_before(history(), model, explanation_->impossible, options)) {
    return place_order(model, std::move(*order));
  }
  std::vector<OperationId> operations;
  for (const ExplainedStep& step : explanation_->prefix) operations.push_back(step.operation);
  order_.of_core = true;
  place_order(model, std::move(operations));
}

void HistoryView::place_operations() {
  const History& history = *history_;
  absl::flat_hash_map<Value, std::uint32_t> lane_of;
  for (OperationId i = 0; i < history.size(); ++i) {
    if (lane_of.try_emplace(history.process(i), 0).second) processes_.push_back(history.process(i));
  }
  const Values& values = history.values();
  const bool numbered = std::ranges::all_of(
      processes_, [&](Value process) { return values.kind(process) == ValueKind::kInteger; });
  if (numbered) std::ranges::sort(processes_, [&](Value a, Value b) { return values.compare(a, b) < 0; });
  for (std::uint32_t lane = 0; lane < processes_.size(); ++lane) lane_of[processes_[lane]] = lane;
  lane_.resize(history.size());
  for (OperationId i = 0; i < history.size(); ++i) lane_[i] = lane_of[history.process(i)];
  call_rank_.assign(history.size(), kNone);
  return_rank_.assign(history.size(), kNone);
  for (std::uint32_t rank = 0; rank < history.events().size(); ++rank) {
    const Event event = history.events()[rank];
    (event.is_return() ? return_rank_ : call_rank_)[event.operation()] = rank;
  }
}

// Each operation takes effect as early as the order allows: after its call and after all before it. As the
// order respects happens-before, that is before its return.
void HistoryView::place_order(const Model& model, std::vector<OperationId> operations,
                              std::vector<OperationId> legal) {
  order_.operations = std::move(operations);
  order_.legal = std::move(legal);
  std::uint32_t slot = 0;
  for (const OperationId i : order_.operations) {
    slot = std::max(slot, call_rank_[i]);
    order_.slots.push_back(slot);
  }
  keep_states(model, kFewStates);
}

// Small states are all kept: what the few were like says how many there is room for.
void HistoryView::keep_many_states(const Model& model) {
  std::size_t bytes = 1;
  for (const std::string& state : order_.states) bytes += state.size();
  const std::size_t affordable = kStateBytes / (bytes / std::max<std::size_t>(order_.states.size(), 1) + 1);
  if (order_.operations.size() > kFewStates && affordable > kFewStates) keep_states(model, affordable);
}

// Of a long order towards a violation, the last states matter; of any other, the first.
void HistoryView::keep_states(const Model& model, std::size_t most) {
  const std::size_t size = order_.operations.size();
  order_.first_state = explanation_.has_value() && size > most ? size - most : 0;
  order_.states.clear();
  const auto& followed = order_.legal.empty() ? order_.operations : order_.legal;
  for (const ExplainedStep& step : walk(history(), model, followed, order_.first_state, most)) {
    order_.states.push_back(shortened(step.state, kLongestState));
  }
}

std::string HistoryView::process_name(OperationId i) const {
  const Values& values = history().values();
  const Value process = history().process(i);
  return printable(values.kind(process) == ValueKind::kString ? std::string(values.as_string(process))
                                                              : values.to_json(process));
}

std::string HistoryView::arguments(OperationId i) const {
  std::string out;
  for (const Value argument : history().args(i)) {
    if (!out.empty()) out += ", ";
    history().values().append_json(argument, out);
  }
  return out;
}

std::optional<std::string> HistoryView::result(OperationId i) const {
  const bool nothing = history().is_pending(i) || returns_nothing_[history().function(i)];
  return nothing ? std::nullopt : std::optional(history().values().to_json(history().result(i)));
}

std::string_view HistoryView::state_name() const {
  if (is_keyed_) return "state of its key";
  return history().has_objects() ? "state of its object" : "state";
}

std::string HistoryView::label(OperationId i) const {
  return printable(fmt::format("{}({})", history().function_name(i), arguments(i)));
}

std::string HistoryView::ending(OperationId i) const {
  if (history().is_pending(i)) return "never returned";
  const auto value = result(i);
  return value ? "→ " + printable(*value) : "";
}

std::string HistoryView::whole(OperationId i) const {
  const std::string end = ending(i);
  return history().is_pending(i) ? label(i) + " …" : end.empty() ? label(i) : label(i) + " " + end;
}

std::string HistoryView::title() const {
  std::string out = printable(source_.file);
  if (!source_.alone) out += fmt::format(", history {}", source_.index);
  if (!history().name().empty()) out += fmt::format(" ({})", printable(history().name()));
  return out;
}

std::string HistoryView::facts() const {
  std::string out = fmt::format("{}, {}", printable(source_.model), count_of(history().size(), "operation"));
  if (history().pending() != 0) out += fmt::format(" ({} pending)", history().pending());
  if (!verdict_->relax.empty()) out += fmt::format(", {}", printable(to_string(verdict_->relax)));
  return out +
         fmt::format(", {}, {}", count_of(history().processes(), "process"), to_string(verdict_->engines));
}

std::string HistoryView::sentence() const {
  switch (verdict_->outcome) {
    case Outcome::kViolation:
      return printable(explanation_->sentence);
    case Outcome::kUnknown:
      return printable("Nobody knows: " + verdict_->why);
    case Outcome::kHolds:
      break;
  }
  if (history().empty()) return "There is nothing to explain: the history is empty.";
  const std::size_t left_out = history().size() - order_.operations.size();
  const std::string_view explains =
      order_.legal.empty() ? "explains every result"
                           : "is close enough to a legal history: each step says where that differs";
  std::string out = fmt::format("There is an order of {} that {}.",
                                left_out == 0 ? "all " + count_of(history().size(), "operation")
                                              : count_of(order_.operations.size(), "operation"),
                                explains);
  if (left_out != 0)
    out += fmt::format(" {} that never returned took no effect in it.", count_of(left_out, "operation"));
  return out;
}

std::vector<std::string> HistoryView::allowed() const {
  const std::vector<std::string>& all = explanation_->allowed;
  if (all.empty())
    return {explanation_->allowed_complete ? "nothing; it cannot happen here" : "not looked for"};
  std::vector<std::string> out;
  for (std::size_t i = 0; i < std::min(all.size(), kMostAllowed); ++i) {
    out.push_back(printable(shortened(all[i], kLongestState)));
  }
  if (!explanation_->allowed_complete || all.size() > kMostAllowed) out.emplace_back("others");
  return out;
}

}  // namespace plumb
