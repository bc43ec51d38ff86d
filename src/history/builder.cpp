// Making a history: columns grow operation by operation, then everything that could be wrong with them is looked for
// once, and the events are put in order.
#include <algorithm>
#include <cassert>
#include <functional>
#include <unordered_map>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <plumb/history.hpp>

namespace plumb {

struct HistoryBuilder::Open {
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  absl::flat_hash_map<Value, OperationId> by_process;
  std::unordered_map<std::string, FunctionId, TextHash, std::equal_to<>> functions;
};

HistoryBuilder::HistoryBuilder() : HistoryBuilder(std::make_shared<Values>()) {}

HistoryBuilder::HistoryBuilder(std::shared_ptr<Values> values) : open_(std::make_shared<Open>()) {
  history_.values_ = std::move(values);
}

FunctionId HistoryBuilder::function(std::string_view name) {
  const auto it = open_->functions.find(name);
  if (it != open_->functions.end()) return it->second;
  const auto id = static_cast<FunctionId>(history_.functions_.size());
  assert(history_.functions_.size() < kMaxFunctions);
  history_.functions_.emplace_back(name);
  open_->functions.emplace(name, id);
  return id;
}

void HistoryBuilder::reserve(std::size_t operations) {
  history_.process_.reserve(operations);
  history_.head_.reserve(operations);
  history_.first_argument_.reserve(operations);
  history_.arguments_.reserve(operations);
  history_.result_.reserve(operations);
  history_.call_.reserve(operations);
  history_.ret_.reserve(operations);
  history_.place_.reserve(operations);
}

OperationId HistoryBuilder::add(Value process, FunctionId function, std::span<const Value> args,
                                Completed completed, Time call, Time ret, Place place) {
  assert(args.size() <= kMaxArguments);
  const auto op = static_cast<OperationId>(history_.size());
  history_.process_.push_back(process);
  history_.head_.push_back({function, static_cast<std::uint8_t>(args.size()), completed.has_result});
  history_.first_argument_.push_back(static_cast<std::uint32_t>(history_.arguments_.size()));
  history_.arguments_.insert(history_.arguments_.end(), args.begin(), args.end());
  history_.result_.push_back(completed.result);
  history_.call_.push_back(call);
  history_.ret_.push_back(ret);
  history_.place_.push_back(place);
  if (!history_.object_.empty()) history_.object_.push_back(kNull);
  return op;
}

void HistoryBuilder::set_object(OperationId op, Value object) {
  if (history_.object_.empty()) history_.object_.resize(history_.size());
  history_.object_[op] = object;
}

Result<OperationId> HistoryBuilder::call(Value process, FunctionId function, std::span<const Value> args,
                                         Place place) {
  if (is_open(process)) {
    const OperationId other = open_operation(process);
    return Error{
        fmt::format(
            "process {} calls '{}' before its '{}' of line {} has returned; expected one operation at a "
            "time",
            values().to_json(process), history_.functions_[function], function_name(other),
            history_.place(other).line),
        place};
  }
  const OperationId op = add(process, function, args, {kNull, false}, now_++, kNever, place);
  open_->by_process.emplace(process, op);
  return op;
}

Result<OperationId> HistoryBuilder::complete(Value process, Completed completed, Place place) {
  const auto it = open_->by_process.find(process);
  if (it == open_->by_process.end()) {
    return Error{fmt::format("a response of process {} without an invocation; expected its call first",
                             values().to_json(process)),
                 place};
  }
  const OperationId op = it->second;
  open_->by_process.erase(it);
  history_.result_[op] = completed.result;
  history_.head_[op].has_result = completed.has_result;
  history_.ret_[op] = now_++;
  return op;
}

Status HistoryBuilder::fail(Value process, Place place) {
  auto op = complete(process, {kNull, false}, place);
  if (!op) return op.error();
  failed_.push_back(*op);
  return Done{};
}

Status HistoryBuilder::lose(Value process, Place place) {
  auto op = complete(process, {kNull, false}, place);
  if (!op) return op.error();
  history_.ret_[*op] = kNever;
  return Done{};
}

bool HistoryBuilder::is_open(Value process) const { return open_->by_process.contains(process); }

OperationId HistoryBuilder::open_operation(Value process) const { return open_->by_process.at(process); }

Result<History> HistoryBuilder::finish() {
  drop_failed();
  history_.arguments_.shrink_to_fit();
  if (auto status = order_events(); !status) return status.error();
  if (auto status = check_processes(); !status) return status.error();
  history_.pending_ = static_cast<std::size_t>(std::ranges::count(history_.ret_, kNever));
  History done = std::move(history_);
  *this = HistoryBuilder(done.values_);
  return done;
}

// Operations that did not happen leave the columns; the others keep their order.
void HistoryBuilder::drop_failed() {
  if (failed_.empty()) return;
  std::vector<bool> gone(history_.size());
  for (const OperationId op : failed_) gone[op] = true;
  const auto compact = [&](auto& column) {
    if (column.empty()) return;
    std::size_t to = 0;
    for (std::size_t from = 0; from < gone.size(); ++from) {
      if (!gone[from]) column[to++] = column[from];
    }
    column.resize(to);
  };
  compact(history_.head_);
  compact(history_.first_argument_);
  compact(history_.result_);
  compact(history_.call_);
  compact(history_.ret_);
  compact(history_.place_);
  compact(history_.object_);
  compact(history_.process_);
}

// Sorted calls merged with sorted returns. Recordings mostly stand in one of the two orders already.
Status HistoryBuilder::order_events() {
  const History& h = history_;
  for (OperationId i = 0; i < h.size(); ++i) {
    if (h.ret_[i] < h.call_[i]) {
      return Error{fmt::format("'{}' returns at {}, before its call at {}; expected \"return\" >= \"call\"",
                               h.function_name(i), h.ret_[i], h.call_[i]),
                   h.place(i)};
    }
  }
  const auto sorted_by = [&](const std::vector<Time>& time, bool keep_pending) {
    std::vector<OperationId> order;
    order.reserve(h.size());
    for (OperationId i = 0; i < h.size(); ++i) {
      if (keep_pending || h.ret_[i] != kNever) order.push_back(i);
    }
    const auto earlier = [&](OperationId a, OperationId b) { return time[a] < time[b]; };
    if (!std::ranges::is_sorted(order, earlier)) std::ranges::stable_sort(order, earlier);
    return order;
  };
  const auto calls = sorted_by(h.call_, true);
  const auto returns = sorted_by(h.ret_, false);
  history_.events_.reserve(calls.size() + returns.size());
  auto call = calls.begin();
  for (const OperationId ret : returns) {
    for (; call != calls.end() && h.call_[*call] <= h.ret_[ret]; ++call)
      history_.events_.push_back(Event::call(*call));
    history_.events_.push_back(Event::ret(ret));
  }
  for (; call != calls.end(); ++call) history_.events_.push_back(Event::call(*call));
  return Done{};
}

// By call time, each operation of a process must begin no earlier than the one before it has ended.
Status HistoryBuilder::check_processes() {
  const History& h = history_;
  absl::flat_hash_map<Value, OperationId> last;
  for (const Event e : h.events_) {
    if (e.is_return()) continue;
    const OperationId op = e.operation();
    const auto [it, is_new] = last.try_emplace(h.process_[op], op);
    if (is_new) continue;
    const OperationId before = std::exchange(it->second, op);
    if (h.call_[op] >= h.ret_[before]) continue;
    const std::string until =
        h.is_pending(before) ? "never returns" : fmt::format("returns at {}", h.ret_[before]);
    return Error{
        fmt::format("process {} calls '{}' at {} while its '{}' of line {} is running (it {}); expected one "
                    "operation at a time",
                    h.values().to_json(h.process_[op]), h.function_name(op), h.call_[op],
                    h.function_name(before), h.place(before).line, until),
        h.place(op)};
  }
  history_.processes_ = last.size();
  return Done{};
}

}  // namespace plumb
