// Encoding tries the plain convention, decodes what it made, and becomes explicit where that is not the same.
#include "formats/jepsen_convention.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plumb {
namespace {

bool is_null(const std::optional<Value>& value) { return !value || value->is_null(); }

bool is_pair(Value value, const Values& values) {
  return values.kind(value) == ValueKind::kArray && values.as_array(value).size() == 2;
}

bool takes_key_and_value(JepsenKind kind) {
  return kind == JepsenKind::kKeyed || kind == JepsenKind::kKeyedAnswer;
}

}  // namespace

JepsenKind jepsen_kind(std::string_view function) {
  using enum JepsenKind;
  static constexpr std::array<std::pair<std::string_view, JepsenKind>, 17> kKinds = {{
      {"write", kVoid},
      {"enqueue", kVoid},
      {"enq", kVoid},
      {"push", kVoid},
      {"push_front", kVoid},
      {"push_back", kVoid},
      {"acquire", kVoid},
      {"release", kVoid},
      {"read", kRead},
      {"cas", kCas},
      {"txn", kTxn},
      {"put", kKeyed},
      {"append", kKeyed},
      {"get", kGet},
      {"put_if_absent", kKeyedAnswer},
      {"put-if-absent", kKeyedAnswer},
      {"putIfAbsent", kKeyedAnswer},
  }};
  const auto known = std::ranges::find(kKinds, function, &std::pair<std::string_view, JepsenKind>::first);
  return known == kKinds.end() ? kPlain : known->second;
}

std::vector<Value> jepsen_arguments(JepsenKind kind, const JepsenData& invocation, const Values& values) {
  if (invocation.args) {
    const auto items = values.as_array(*invocation.args);
    return {items.begin(), items.end()};
  }
  std::vector<Value> args;
  if (invocation.key) args.push_back(*invocation.key);
  if (is_null(invocation.value) || kind == JepsenKind::kRead) return args;
  const Value value = *invocation.value;
  const bool two = kind == JepsenKind::kCas || (takes_key_and_value(kind) && !invocation.key);
  if (two && is_pair(value, values)) {
    const auto items = values.as_array(value);
    args.insert(args.end(), items.begin(), items.end());
  } else {
    args.push_back(value);
  }
  return args;
}

HistoryBuilder::Completed jepsen_result(JepsenKind kind, Value invoked, const JepsenData& completion) {
  if (completion.result) return {*completion.result, true};
  if (!completion.value) return {kNull, false};
  if (kind == JepsenKind::kTxn || kind == JepsenKind::kRead || invoked.is_null() ||
      *completion.value != invoked)
    return {*completion.value, true};
  if (kind == JepsenKind::kCas) return {kTrue, true};
  return {kNull, kind == JepsenKind::kVoid || kind == JepsenKind::kKeyed};
}

JepsenData jepsen_invocation(JepsenKind kind, std::span<const Value> args, Values& values) {
  JepsenData data;
  if (takes_key_and_value(kind) && args.size() == 2) {
    data.key = args[0];
    data.value = args[1];
  } else if (kind == JepsenKind::kGet && args.size() == 1) {
    data.key = args[0];
    data.value = kNull;
  } else if (args.size() == 1) {
    data.value = args[0];
  } else {
    data.value = args.empty() ? kNull : values.array(args);
  }
  if (std::ranges::equal(jepsen_arguments(kind, data, values), args)) return data;
  data = {};
  data.args = values.array(args);
  return data;
}

JepsenData jepsen_completion(JepsenKind kind, const JepsenData& invocation,
                             HistoryBuilder::Completed completed) {
  const Value invoked = invocation.value.value_or(kNull);
  const auto says_it = [&](const JepsenData& data) {
    const auto read = jepsen_result(kind, invoked, data);
    return read.result == completed.result && read.has_result == completed.has_result;
  };
  JepsenData data;
  data.key = invocation.key;
  data.value = invocation.value;
  if (!is_null(invocation.value) && says_it(data)) return data;
  data.value = completed.result;
  if (says_it(data)) return data;
  data.value = invocation.value;
  data.result = completed.result;
  if (says_it(data)) return data;
  data.value.reset();
  data.result.reset();
  return data;  // no result at all
}

}  // namespace plumb
