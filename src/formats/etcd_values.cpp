#include "formats/etcd_values.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include <fmt/format.h>

namespace plumb {
namespace {

// A struct as Go writes it: members that are not there are zero. What is not known may change what was asked, so it is an error.
class Struct {
 public:
  Struct(Value value, std::string_view what, Values& values) : value_(value), what_(what), values_(values) {}

  [[nodiscard]] Status has_only(std::initializer_list<std::string_view> names) const {
    if (value_.is_null()) return Ok{};
    if (values_.kind(value_) != ValueKind::kObject)
      return Error{fmt::format("{} {}; expected an object", what_, values_.to_json(value_))};
    const auto items = values_.as_object(value_);
    for (std::size_t i = 0; i < items.size(); i += 2) {
      const std::string_view name = values_.as_string(items[i]);
      if (std::ranges::find(names, name) == names.end())
        return Error{fmt::format("a member \"{}\" of {}; expected {}", name, what_, fmt::join(names, ", "))};
    }
    return Ok{};
  }

  [[nodiscard]] Value operator[](std::string_view name) const {
    if (values_.kind(value_) != ValueKind::kObject) return kNull;
    const auto items = values_.as_object(value_);
    for (std::size_t i = 0; i < items.size(); i += 2) {
      if (values_.as_string(items[i]) == name) return items[i + 1];
    }
    return kNull;
  }
  [[nodiscard]] std::int64_t number(std::string_view name) const {
    const Value value = (*this)[name];
    return values_.kind(value) == ValueKind::kInteger ? values_.as_integer(value) : 0;
  }
  [[nodiscard]] Value number_value(std::string_view name) const { return values_.integer(number(name)); }
  [[nodiscard]] std::string_view text(std::string_view name) const {
    const Value value = (*this)[name];
    return values_.kind(value) == ValueKind::kString ? values_.as_string(value) : std::string_view();
  }
  [[nodiscard]] bool flag(std::string_view name) const { return (*this)[name] == kTrue; }
  [[nodiscard]] std::vector<Value> list(std::string_view name) const {
    const Value value = (*this)[name];
    if (values_.kind(value) != ValueKind::kArray) return {};
    const auto items = values_.as_array(value);
    return {items.begin(), items.end()};
  }
  [[nodiscard]] Struct part(std::string_view name, std::string_view what) const {
    return {(*this)[name], what, values_};
  }
  [[nodiscard]] Values& values() const { return values_; }

 private:
  Value value_;
  std::string_view what_;
  Values& values_;
};

// FNV-1a with 32 bits, by which etcd's tests tell long values apart. Numbers stand for them here.
std::uint32_t hash_of(std::string_view text) {
  std::uint32_t hash = 2'166'136'261U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 16'777'619U;
  return hash;
}

Result<Value> stored_value(const Struct& value) {
  if (auto status = value.has_only({"Value", "Hash"}); !status) return status.error();
  constexpr std::size_t kHashed = 20;  // bytes
  const std::string_view text = value.text("Value");
  if (text.empty() && value.number("Hash") != 0) return value.number_value("Hash");
  return text.size() < kHashed ? value.values().string(text) : value.values().integer(hash_of(text));
}

class Decoder {
 public:
  Decoder(Value input, Value output, Values& values)
      : values_(values), input_(input, "the request", values), output_(output, "the response", values) {}

  Result<EtcdCall> run() {
    if (auto status = check(); !status) return status.error();
    if (auto status = request(); !status) return status.error();
    if (output_.text("Error").empty()) {
      auto answered = result();
      if (!answered) return answered.error();
      call_.result = *answered;
    }
    return std::move(call_);
  }

 private:
  [[nodiscard]] Status check() const {
    auto status =
        input_.has_only({"Type", "LeaseGrant", "LeaseRevoke", "Range", "Txn", "Defragment", "Compact"});
    if (!status) return status;
    return output_.has_only({"Txn", "Range", "LeaseGrant", "LeaseRevoke", "Defragment", "Compact",
                             "ClientError", "Revision", "member-id", "Persisted", "PersistedRevision",
                             "PartialResponse", "Error"});
  }

  Status request() {
    const std::string_view type = input_.text("Type");
    if (type == "range") return range();
    if (type == "txn") return transaction();
    if (type == "leaseGrant") return by_number("lease_grant", "LeaseGrant", "LeaseID");
    if (type == "leaseRevoke") return by_number("lease_revoke", "LeaseRevoke", "LeaseID");
    if (type == "compact") return by_number("compact", "Compact", "Revision");
    if (type == "defragment") {
      call_.function = "defragment";
      call_.only_reads = true;
      return Ok{};
    }
    return Error{
        fmt::format("a request of the type '{}'; expected range, txn, leaseGrant, leaseRevoke, "
                    "compact or defragment",
                    type)};
  }

  Status by_number(std::string_view function, std::string_view name, std::string_view member) {
    const Struct part = input_.part(name, "the request");
    if (auto status = part.has_only({member}); !status) return status;
    call_.function = function;
    call_.args = {part.number_value(member)};
    return Ok{};
  }

  Status range() {
    const Struct asked = input_.part("Range", "a range");
    if (auto status = asked.has_only({"Start", "End", "Limit", "KeysOnly", "Revision"}); !status)
      return status;
    call_.function = "range";
    call_.only_reads = true;
    call_.args = range_args(asked);
    if (asked.number("Revision") == 0) return Ok{};
    while (call_.args.size() < 4)
      call_.args.push_back(call_.args.size() == 3 ? kFalse : padding(call_.args.size()));
    call_.args.push_back(asked.number_value("Revision"));
    return Ok{};
  }
  // What stands for an end or a limit that is not given.
  [[nodiscard]] static Value padding(std::size_t position) { return position == 1 ? kNull : Value::small(0); }

  // start [, end [, limit [, keys only]]]
  std::vector<Value> range_args(const Struct& asked) {
    std::vector<Value> args = {values_.string(asked.text("Start"))};
    const std::string_view end = asked.text("End");
    const bool keys_only = asked.flag("KeysOnly");
    const bool has_limit = asked.number("Limit") != 0 || keys_only;
    if (!end.empty() || has_limit) args.push_back(end.empty() ? kNull : values_.string(end));
    if (has_limit) args.push_back(asked.number_value("Limit"));
    if (keys_only) args.push_back(kTrue);
    return args;
  }

  Status transaction() {
    const Struct txn = input_.part("Txn", "a transaction");
    if (auto status = txn.has_only({"Conditions", "OperationsOnSuccess", "OperationsOnFailure"}); !status)
      return status;
    const std::vector<Value> conditions = txn.list("Conditions");
    on_success_ = txn.list("OperationsOnSuccess");
    on_failure_ = txn.list("OperationsOnFailure");
    if (conditions.empty() && on_failure_.empty() && on_success_.size() == 1 &&
        type_of(on_success_[0]) != kRange)
      return single_step();
    call_.function = "txn";
    std::vector<Value> all;
    for (const Value condition : conditions) {
      auto one = condition_of(condition);
      if (!one) return one.error();
      all.push_back(*one);
    }
    call_.args = {values_.array(all)};
    call_.only_reads = true;
    for (const auto* steps : {&on_success_, &on_failure_}) {
      all.clear();
      for (const Value step : *steps) {
        auto args = step_of(step);
        if (!args) return args.error();
        args->insert(args->begin(), values_.string(name_of(step)));
        all.push_back(values_.array(*args));
        call_.only_reads = call_.only_reads && type_of(step) == kRange;
      }
      call_.args.push_back(values_.array(all));
    }
    if (call_.only_reads) call_.function = "read_txn";
    return Ok{};
  }

  Status single_step() {
    auto args = step_of(on_success_[0]);
    if (!args) return args.error();
    call_.function = name_of(on_success_[0]);
    call_.args = std::move(*args);
    is_single_ = true;
    return Ok{};
  }

  Result<Value> condition_of(Value value) {
    const Struct condition(value, "a condition", values_);
    if (auto status = condition.has_only({"Key", "ExpectedRevision", "ExpectedVersion"}); !status)
      return status.error();
    const bool of_version = condition.number("ExpectedVersion") > 0;
    return values_.array(
        std::array{values_.string(of_version ? "version" : "mod"), values_.string(condition.text("Key")),
                   condition.number_value(of_version ? "ExpectedVersion" : "ExpectedRevision")});
  }

  enum StepType : std::uint8_t { kRange, kPut, kDelete, kUnknown };
  [[nodiscard]] StepType type_of(Value step) {
    static constexpr std::array<std::string_view, 3> kTypes = {"range-operation", "put-operation",
                                                               "delete-operation"};
    const auto at = std::ranges::find(kTypes, Struct(step, "", values_).text("Type"));
    return static_cast<StepType>(at - kTypes.begin());
  }
  [[nodiscard]] std::string_view name_of(Value step) {
    static constexpr std::array<std::string_view, 4> kNames = {"range", "put", "delete", ""};
    return kNames.at(type_of(step));
  }

  Result<std::vector<Value>> step_of(Value value) {
    const Struct step(value, "an operation of a transaction", values_);
    if (auto status = step.has_only({"Type", "Range", "Put", "Delete"}); !status) return status.error();
    switch (type_of(value)) {
      case kRange: {
        const Struct asked = step.part("Range", "a range");
        if (auto status = asked.has_only({"Start", "End", "Limit", "KeysOnly"}); !status)
          return status.error();
        return range_args(asked);
      }
      case kPut: {
        const Struct put = step.part("Put", "a put");
        if (auto status = put.has_only({"Key", "Value", "LeaseID"}); !status) return status.error();
        auto stored = stored_value(put.part("Value", "a value"));
        if (!stored) return stored.error();
        std::vector<Value> args = {values_.string(put.text("Key")), *stored};
        if (put.number("LeaseID") != 0) args.push_back(put.number_value("LeaseID"));
        return args;
      }
      case kDelete: {
        const Struct erase = step.part("Delete", "a delete");
        if (auto status = erase.has_only({"Key"}); !status) return status.error();
        return std::vector<Value>{values_.string(erase.text("Key"))};
      }
      case kUnknown:
        break;
    }
    return Error{
        fmt::format("an operation of the type '{}' in a transaction; expected range-operation, "
                    "put-operation or delete-operation",
                    step.text("Type"))};
  }

  Result<Value> result() {
    // That etcd has done it, was found out later, from what it had kept.
    if (output_.flag("Persisted") || output_.flag("PartialResponse")) {
      const std::int64_t revision =
          output_.number(output_.flag("Persisted") ? "PersistedRevision" : "Revision");
      return revision == 0 ? kNull : values_.integer(revision);
    }
    if (const std::string_view error = output_.text("ClientError"); !error.empty()) return refused(error);
    if (call_.function == "defragment") return kNull;
    if (call_.function == "compact") return kTrue;
    const Value revision = output_.number_value("Revision");
    if (call_.function == "lease_grant" || call_.function == "lease_revoke") return revision;
    if (call_.function == "range") {
      if (output_["Range"].is_null()) return Error{"a response without \"Range\" to a range"};
      auto found = found_by(output_.part("Range", "the response to a range"), {"KVs", "Count"}, call_.args);
      if (!found) return found;
      return values_.array(std::array{revision, *found});
    }
    return transaction_result(revision);
  }

  [[nodiscard]] Result<Value> refused(std::string_view error) {
    const bool compacted = error.find("compacted") != std::string_view::npos;
    const bool future = error.find("future revision") != std::string_view::npos;
    if (compacted || future) return values_.string(compacted ? "compacted" : "future");
    return Error{
        fmt::format("the error '{}' of a client; expected one that says \"compacted\" or \"future "
                    "revision\"",
                    error)};
  }

  Result<Value> transaction_result(Value revision) {
    const Struct response = output_.part("Txn", "the response to a transaction");
    if (output_["Txn"].is_null()) return Error{"a response without \"Txn\" to a transaction"};
    if (auto status = response.has_only({"Failure", "Results"}); !status) return status.error();
    const bool succeeded = !response.flag("Failure");
    const std::vector<Value>& steps = succeeded ? on_success_ : on_failure_;
    const std::vector<Value> given = response.list("Results");
    if (given.size() != steps.size())
      return Error{fmt::format("{} results of a transaction; expected {}", given.size(), steps.size())};
    std::vector<Value> results;
    bool changed = false;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      auto one = step_result(steps[i], given[i]);
      if (!one) return one;
      const bool deleted = type_of(steps[i]) == kDelete && *one != Value::small(0);
      changed = changed || deleted || type_of(steps[i]) == kPut;
      results.push_back(*one);
    }
    if (is_single_ && changed)
      return call_.function == "put" ? revision : values_.array(std::array{revision, results[0]});
    if (!changed) read_only();
    return values_.array(std::array{revision, Value::boolean(succeeded), values_.array(results)});
  }

  // A search need not ask when it took effect.
  void read_only() {
    if (is_single_) {
      std::vector<Value> step = {values_.string(call_.function)};
      step.insert(step.end(), call_.args.begin(), call_.args.end());
      const Value none = values_.array({});
      call_.args = {none, values_.array(std::array{values_.array(step)}), none};
    }
    call_.function = "read_txn";
  }

  Result<Value> step_result(Value step, Value given) {
    const Struct result(given, "a result of a transaction", values_);
    if (auto status = result.has_only({"KVs", "Count", "Deleted"}); !status) return status.error();
    if (type_of(step) == kPut) return kNull;
    if (type_of(step) == kDelete) return result.number_value("Deleted");
    auto args = step_of(step);
    if (!args) return args.error();
    return found_by(result, {"KVs", "Count", "Deleted"}, *args);
  }

  // [count, [[key, value, mod revision, version], …]]
  Result<Value> found_by(const Struct& response, std::initializer_list<std::string_view> names,
                         const std::vector<Value>& args) {
    if (auto status = response.has_only(names); !status) return status.error();
    const bool keys_only = args.size() > 3 && args[3].is_true();
    std::vector<Value> items;
    for (const Value item : response.list("KVs")) {
      const Struct kv(item, "a key", values_);
      if (auto status = kv.has_only({"Key", "Value", "ModRevision", "Version"}); !status)
        return status.error();
      auto stored = stored_value(kv.part("Value", "a value"));
      if (!stored) return stored;
      std::vector<Value> parts = {values_.string(kv.text("Key")), keys_only ? kNull : *stored,
                                  kv.number_value("ModRevision")};
      if (kv.number("Version") != 0) parts.push_back(kv.number_value("Version"));
      items.push_back(values_.array(parts));
    }
    return values_.array(std::array{response.number_value("Count"), values_.array(items)});
  }

  Values& values_;
  Struct input_;
  Struct output_;
  EtcdCall call_;
  std::vector<Value> on_success_;
  std::vector<Value> on_failure_;
  bool is_single_ = false;
};

}  // namespace

Result<EtcdCall> etcd_call(Value input, Value output, Values& values) {
  return Decoder(input, output, values).run();
}

}  // namespace plumb
