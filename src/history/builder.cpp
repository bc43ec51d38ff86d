// Making a history: columns grow operation by operation, then everything that could be wrong with them is
// looked for once, and the events are put in order.
#include <algorithm>
#include <cassert>
#include <functional>
#include <unordered_map>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <plumb/history.hpp>

#include "base/huge_pages.hpp"
#include "history/event_order.hpp"

namespace plumb {
namespace {

// Where an error has no place in a text, it names the operation by its number.
std::string number_if_nowhere(const History& history, OperationId op) {
  return history.place(op).line == 0 ? fmt::format("operation {}: ", op) : "";
}

}  // namespace

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
  reserve_columns(operations, operations);
  reserve_large(history_.place_, operations);
}

OperationId HistoryBuilder::add(Value process, FunctionId function, std::span<const Value> args,
                                Completed completed, Time call, Time ret, Place place) {
  assert(args.size() <= kMaxArguments);
  const auto op = static_cast<OperationId>(history_.size());
  history_.process_.push_back(process);
  history_.head_.push_back({function, static_cast<std::uint8_t>(args.size()), completed.has_result});
  history_.first_argument_.push_back(static_cast<std::uint32_t>(history_.arguments_.size()));
  history_.arguments_.insert(history_.arguments_.end(), args.begin(), args.end());
  history_.result_.push_back(completed.has_result ? completed.result : kNull);
  history_.call_.push_back(call);
  history_.ret_.push_back(ret);
  history_.place_.resize(op);  // operations of no known place may stand before this one
  history_.place_.push_back(place);
  if (!history_.object_.empty()) history_.object_.push_back(kNull);
  return op;
}

void HistoryBuilder::set_object(OperationId op, Value object) {
  if (history_.object_.empty()) history_.object_.resize(history_.size());
  history_.object_[op] = object;
}

void HistoryBuilder::append(const Columns& columns) {
  History& h = history_;
  const std::size_t size = columns.head.size();
  assert(columns.process.size() == size && columns.result.size() == size && columns.call.size() == size &&
         columns.ret.size() == size && (columns.object.empty() || columns.object.size() == size));
  const auto extend = [](auto& column, auto more) { column.insert(column.end(), more.begin(), more.end()); };
  if (!columns.object.empty()) h.object_.resize(h.size());
  if (!columns.object.empty()) extend(h.object_, columns.object);
  if (columns.object.empty() && !h.object_.empty()) h.object_.resize(h.size() + size);
  auto next_argument = static_cast<std::uint32_t>(h.arguments_.size());
  for (const OperationHead& head : columns.head) {
    h.first_argument_.push_back(next_argument);
    next_argument += head.arity;
  }
  extend(h.arguments_, columns.arguments);
  assert(next_argument == h.arguments_.size());
  extend(h.head_, columns.head);
  extend(h.result_, columns.result);
  extend(h.call_, columns.call);
  extend(h.ret_, columns.ret);
  extend(h.process_, columns.process);
  if (!h.place_.empty()) h.place_.resize(h.size());
}

void HistoryBuilder::reserve_columns(std::size_t operations, std::size_t arguments) {
  reserve_large(history_.process_, operations);
  reserve_large(history_.head_, operations);
  reserve_large(history_.first_argument_, operations);
  reserve_large(history_.arguments_, arguments);
  reserve_large(history_.result_, operations);
  reserve_large(history_.call_, operations);
  reserve_large(history_.ret_, operations);
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
  history_.counted_ = true;
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
  return Ok{};
}

Status HistoryBuilder::lose(Value process, Place place) {
  auto op = complete(process, {kNull, false}, place);
  if (!op) return op.error();
  history_.ret_[*op] = kNever;
  return Ok{};
}

bool HistoryBuilder::is_open(Value process) const { return open_->by_process.contains(process); }

OperationId HistoryBuilder::open_operation(Value process) const { return open_->by_process.at(process); }

Result<History> HistoryBuilder::finish() {
  drop_failed();
  history_.arguments_.shrink_to_fit();
  if (auto status = check_times(); !status) return status.error();
  history_.events_ = order_events(history_.call_, history_.ret_);
  history_.pending_ = 2 * history_.size() - history_.events_.size();
  if (auto status = check_processes(); !status) return status.error();
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
  drop_failed_arguments(gone);
  compact(history_.head_);
  compact(history_.first_argument_);
  compact(history_.result_);
  compact(history_.call_);
  compact(history_.ret_);
  compact(history_.place_);
  compact(history_.object_);
  compact(history_.process_);
}

void HistoryBuilder::drop_failed_arguments(const std::vector<bool>& gone) {
  std::size_t to = 0;
  for (std::size_t op = 0; op < gone.size(); ++op) {
    const std::size_t from = history_.first_argument_[op];
    history_.first_argument_[op] = static_cast<std::uint32_t>(to);
    if (gone[op]) continue;
    const auto arguments = history_.arguments_.begin();
    std::copy_n(arguments + from, history_.head_[op].arity, arguments + to);
    to += history_.head_[op].arity;
  }
  history_.arguments_.resize(to);
}

Status HistoryBuilder::check_times() const {
  const History& h = history_;
  const auto wrong = std::ranges::mismatch(h.call_, h.ret_, std::less_equal());
  if (wrong.in1 == h.call_.end()) return Ok{};
  const auto i = static_cast<OperationId>(wrong.in1 - h.call_.begin());
  return Error{fmt::format("{}'{}' returns at {}, before its call at {}; expected \"return\" >= \"call\"",
                           number_if_nowhere(h, i), h.function_name(i), h.ret_[i], h.call_[i]),
               h.place(i)};
}

// By call time, each operation of a process must begin no earlier than the one before it has ended.
Status HistoryBuilder::check_processes() {
  const History& h = history_;
  const auto found = find_overlap(h.events_, h.process_, h.call_, h.ret_);
  history_.processes_ = found.processes;
  if (!found.overlap) return Ok{};
  const auto [before, op] = *found.overlap;
  const std::string until =
      h.is_pending(before) ? "never returns" : fmt::format("returns at {}", h.ret_[before]);
  const std::uint32_t line = h.place(before).line;
  return Error{
      fmt::format("{}process {} calls '{}' at {} while its '{}' {} is running (it {}); expected one "
                  "operation at a time",
                  number_if_nowhere(h, op), h.values().to_json(h.process_[op]), h.function_name(op),
                  h.call_[op], h.function_name(before),
                  line == 0 ? fmt::format("(operation {})", before) : fmt::format("of line {}", line), until),
      h.place(op)};
}

}  // namespace plumb
