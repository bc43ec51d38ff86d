#include "spec/etcd_request.hpp"

#include <fmt/format.h>

namespace plumb {
namespace {

std::optional<std::int64_t> number(Value value, const Values& values) {
  if (values.kind(value) != ValueKind::kInteger || values.as_integer(value) < 0) return std::nullopt;
  return values.as_integer(value);
}
bool is_key(Value value, const Values& values) { return values.kind(value) == ValueKind::kString; }

std::span<const Value> items_of(Value value, const Values& values) {
  return values.kind(value) == ValueKind::kArray ? values.as_array(value) : std::span<const Value>();
}
bool is_list(Value value, const Values& values) { return values.kind(value) == ValueKind::kArray; }

// key [, value [, lease]]
std::optional<EtcdStep> put_step(std::span<const Value> args, const Values& values) {
  if (args.size() < 2 || args.size() > 3 || !is_key(args[0], values)) return std::nullopt;
  EtcdStep step{.kind = EtcdStep::Kind::kPut, .key = args[0], .value = args[1]};
  if (args.size() == 3) {
    if (values.kind(args[2]) != ValueKind::kInteger) return std::nullopt;
    step.lease = values.as_integer(args[2]);
  }
  return step;
}

// start [, end [, limit [, keys only]]]
std::optional<EtcdStep> range_step(std::span<const Value> args, const Values& values) {
  if (args.empty() || args.size() > 4 || !is_key(args[0], values)) return std::nullopt;
  EtcdStep step{.kind = EtcdStep::Kind::kRange, .key = args[0]};
  if (args.size() > 1) {
    if (!args[1].is_null() && !is_key(args[1], values)) return std::nullopt;
    step.end = args[1];
  }
  if (args.size() > 2) {
    const auto limit = number(args[2], values);
    if (!limit) return std::nullopt;
    step.limit = *limit;
  }
  if (args.size() > 3) {
    if (!args[3].is_bool()) return std::nullopt;
    step.keys_only = args[3].is_true();
  }
  return step;
}

std::optional<EtcdStep> delete_step(std::span<const Value> args, const Values& values) {
  if (args.size() != 1 || !is_key(args[0], values)) return std::nullopt;
  return EtcdStep{.kind = EtcdStep::Kind::kDelete, .key = args[0]};
}

// ["put", key, …]
std::optional<EtcdStep> step_of(Value value, const Values& values) {
  const auto items = items_of(value, values);
  if (items.empty() || values.kind(items[0]) != ValueKind::kString) return std::nullopt;
  const std::string_view name = values.as_string(items[0]);
  const auto args = items.subspan(1);
  if (name == "put") return put_step(args, values);
  if (name == "delete") return delete_step(args, values);
  return name == "range" ? range_step(args, values) : std::nullopt;
}

std::optional<std::vector<EtcdStep>> steps_of(Value value, const Values& values) {
  if (!is_list(value, values)) return std::nullopt;
  std::vector<EtcdStep> steps;
  for (const Value item : items_of(value, values)) {
    const auto step = step_of(item, values);
    if (!step) return std::nullopt;
    steps.push_back(*step);
  }
  return steps;
}

// ["mod", key, revision], ["version", key, number]
std::optional<EtcdCondition> condition_of(Value value, const Values& values) {
  const auto items = items_of(value, values);
  if (items.size() != 3 || values.kind(items[0]) != ValueKind::kString || !is_key(items[1], values))
    return std::nullopt;
  const std::string_view what = values.as_string(items[0]);
  const auto expected = number(items[2], values);
  if (!expected || (what != "mod" && what != "version")) return std::nullopt;
  return EtcdCondition{what == "version", items[1], *expected};
}

std::optional<EtcdRequest> transaction(EtcdRequest request, std::span<const Value> args,
                                       const Values& values) {
  if (args.size() != 3 || !is_list(args[0], values)) return std::nullopt;
  for (const Value item : items_of(args[0], values)) {
    const auto condition = condition_of(item, values);
    if (!condition) return std::nullopt;
    request.conditions.push_back(*condition);
  }
  auto on_success = steps_of(args[1], values);
  auto on_failure = steps_of(args[2], values);
  if (!on_success || !on_failure) return std::nullopt;
  request.on_success = std::move(*on_success);
  request.on_failure = std::move(*on_failure);
  return request;
}

std::optional<EtcdRequest> of_one_step(EtcdRequest request, const std::optional<EtcdStep>& step) {
  if (!step) return std::nullopt;
  request.on_success.push_back(*step);
  return request;
}

// start [, end [, limit [, keys only [, revision]]]]
std::optional<EtcdRequest> range(EtcdRequest request, std::span<const Value> args, const Values& values) {
  if (args.size() == 5) {
    const auto revision = number(args[4], values);
    if (!revision) return std::nullopt;
    request.number = *revision;
    args = args.first(4);
  }
  return of_one_step(std::move(request), range_step(args, values));
}

bool has_form(const EtcdStep& step, Value result, const Values& values) {
  switch (step.kind) {
    case EtcdStep::Kind::kPut:
      return result.is_null();
    case EtcdStep::Kind::kDelete:
      return number(result, values).has_value();
    case EtcdStep::Kind::kRange:
      return etcd_found(result, values).has_value();
  }
  return false;
}

// [revision, succeeded, [result, …]]
std::optional<EtcdAnswer> transaction_answer(const EtcdRequest& request, std::span<const Value> items,
                                             EtcdAnswer answer, const Values& values) {
  if (items.size() != 3 || !items[1].is_bool() || !is_list(items[2], values)) return std::nullopt;
  answer.succeeded = items[1].is_true();
  answer.results = values.as_array(items[2]);
  const auto& steps = *answer.succeeded ? request.on_success : request.on_failure;
  if (answer.results->size() != steps.size()) return std::nullopt;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (!has_form(steps[i], (*answer.results)[i], values)) return std::nullopt;
  }
  return answer;
}

}  // namespace

std::optional<EtcdRequest> etcd_request(const Call& call, const Values& values) {
  EtcdRequest request;
  request.kind = static_cast<EtcdKind>(call.operation);
  switch (request.kind) {
    case EtcdKind::kRange:
      return range(std::move(request), call.args, values);
    case EtcdKind::kPut:
      return of_one_step(std::move(request), put_step(call.args, values));
    case EtcdKind::kDelete:
      return of_one_step(std::move(request), delete_step(call.args, values));
    case EtcdKind::kTxn:
    case EtcdKind::kReadTxn:
      return transaction(std::move(request), call.args, values);
    case EtcdKind::kLeaseGrant:
    case EtcdKind::kLeaseRevoke:
    case EtcdKind::kCompact:
      if (call.args.size() != 1 || values.kind(call.args[0]) != ValueKind::kInteger) return std::nullopt;
      request.number = values.as_integer(call.args[0]);
      return request;
    case EtcdKind::kDefragment:
      return request;
  }
  return std::nullopt;
}

std::optional<EtcdAnswer> etcd_answer(const EtcdRequest& request, Value result, const Values& values) {
  EtcdAnswer answer;
  if (result.is_null()) return answer;
  if (const auto revision = number(result, values)) {
    answer.revision = revision;
    return answer;
  }
  if (values.kind(result) == ValueKind::kString) {
    const std::string_view word = values.as_string(result);
    const bool names_revisions = request.kind == EtcdKind::kCompact || request.kind == EtcdKind::kRange;
    if (!names_revisions || (word != "compacted" && word != "future")) return std::nullopt;
    answer.word = result;
    return answer;
  }
  if (result == kTrue && request.kind == EtcdKind::kCompact) {
    answer.word = result;
    return answer;
  }
  const auto items = items_of(result, values);
  if (items.empty()) return std::nullopt;
  answer.revision = number(items[0], values);
  if (!answer.revision) return std::nullopt;
  switch (request.kind) {
    case EtcdKind::kTxn:
    case EtcdKind::kReadTxn:
      return transaction_answer(request, items, answer, values);
    case EtcdKind::kRange:
    case EtcdKind::kDelete:
      if (items.size() != 2 || !has_form(request.on_success[0], items[1], values)) return std::nullopt;
      answer.results = items.subspan(1);
      return answer;
    default:
      return std::nullopt;
  }
}

std::optional<EtcdKeyValue> etcd_key_value(Value item, const Values& values) {
  const auto items = items_of(item, values);
  if (items.size() < 3 || items.size() > 4 || !is_key(items[0], values)) return std::nullopt;
  const auto mod = number(items[2], values);
  if (!mod) return std::nullopt;
  EtcdKeyValue found{items[0], items[1], *mod, std::nullopt};
  if (items.size() == 4) {
    found.version = number(items[3], values);
    if (!found.version) return std::nullopt;
  }
  return found;
}

std::optional<EtcdFound> etcd_found(Value result, const Values& values) {
  const auto items = items_of(result, values);
  if (items.size() != 2 || !is_list(items[1], values)) return std::nullopt;
  const auto count = number(items[0], values);
  if (!count) return std::nullopt;
  const EtcdFound found{*count, values.as_array(items[1])};
  for (const Value item : found.items) {
    if (!etcd_key_value(item, values)) return std::nullopt;
  }
  return found;
}

std::optional<std::string> etcd_fault(const Call& call, std::optional<Value> result, const Values& values) {
  const auto request = etcd_request(call, values);
  if (!request) {
    std::string args;
    for (const Value arg : call.args) args += (args.empty() ? "" : ", ") + values.to_json(arg);
    return fmt::format("the arguments ({}); expected those of the table in docs/models.md", args);
  }
  if (!result || etcd_answer(*request, *result, values)) return std::nullopt;
  return fmt::format("result {}; expected the revision, or one of the table in docs/models.md",
                     values.to_json(*result));
}

}  // namespace plumb
