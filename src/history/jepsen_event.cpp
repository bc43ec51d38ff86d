// From events to histories. See jepsen_event.hpp.
#include "history/jepsen_event.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"

namespace plumb {

bool JepsenEvents::wants(std::string_view name) {
  return std::ranges::find(kMemberNames, name) != kMemberNames.end();
}

void JepsenEvents::begin(Place place) {
  given_ = {};
  place_ = place;
}

void JepsenEvents::member(std::string_view name, Value value, Place place) {
  const auto known = std::ranges::find(kMemberNames, name);
  if (known == kMemberNames.end()) return;
  given_[static_cast<std::size_t>(known - kMemberNames.begin())] = {value, place, true};
}

bool JepsenEvents::is_integer(Value value) const {
  return value.is_small() || builder_.shared_values()->kind(value) == ValueKind::kInteger;
}

Status JepsenEvents::end() {
  if (given_[kPlumb].present) return header();
  if (!given_[kProcess].present) {
    return Error{"an event without \"process\"; expected process, type, f and value", place_};
  }
  auto type = word(kType, "the type as invoke, ok, fail or info");
  if (!type) return type.error();
  static const std::array<std::string, 4> kTypes = {"invoke", "ok", "fail", "info"};
  if (std::ranges::find(kTypes, *type) == kTypes.end()) {
    return Error{fmt::format("expected the type invoke, ok, fail or info, found '{}'{}", *type,
                             did_you_mean(*type, kTypes)),
                 given_[kType].place};
  }
  started_ = true;
  if (auto status = check_index(); !status) return status;
  if (!is_integer(given_[kProcess].value)) {
    if (*type != "info" && stranger_ == Place{}) stranger_ = given_[kProcess].place;
    return Done{};
  }
  has_client_ = true;
  return *type == "invoke" ? invoke() : complete(*type);
}

Status JepsenEvents::header() {
  if (auto status = end_history(); !status) return status;
  Header header;
  for (const Name name : {kPlumb, kModel, kInitial}) {
    const Given& given = given_[name];
    if (!given.present) continue;
    if (auto status = header.set(kMemberNames[name], given.value, values(), given.place); !status)
      return status;
  }
  if (given_[kId].present) header.set_name(given_[kId].value, values());
  header.apply(builder_);
  started_ = true;
  return Done{};
}

Status JepsenEvents::check_index() {
  const Given& index = given_[kIndex];
  if (!index.present || index.value.is_null() || indices_.insert(index.value).second) return Done{};
  return Error{fmt::format("the index {} stands twice; expected a new one", values().to_json(index.value)),
               index.place};
}

// A keyword or string without its colon.
Result<std::string_view> JepsenEvents::word(Name name, std::string_view what) {
  const Given& given = given_[name];
  if (!given.present) {
    return Error{fmt::format("an event without \"{}\"; expected {}", kMemberNames[name], what), place_};
  }
  if (values().kind(given.value) != ValueKind::kString) {
    return Error{fmt::format("expected {}, found {}", what, values().to_json(given.value)), given.place};
  }
  std::string_view text = values().as_string(given.value);
  if (text.starts_with(':')) text.remove_prefix(1);
  return text;
}

Result<JepsenData> JepsenEvents::data() {
  const auto optional = [&](Name name) {
    return given_[name].present ? std::optional(given_[name].value) : std::nullopt;
  };
  JepsenData data{optional(kKey), optional(kValue), optional(kArgs), optional(kResult)};
  if (data.args && values().kind(*data.args) != ValueKind::kArray) {
    return Error{fmt::format("expected the arguments as an array, found {}", values().to_json(*data.args)),
                 given_[kArgs].place};
  }
  return data;
}

Status JepsenEvents::invoke() {
  auto function = word(kFunction, "the function's name");
  if (!function) return function.error();
  auto invocation = data();
  if (!invocation) return invocation.error();
  const auto args = jepsen_arguments(jepsen_kind(*function), *invocation, values());
  if (args.size() > HistoryBuilder::kMaxArguments) {
    return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                 place_};
  }
  const auto id = names_.id(builder_, *function);
  if (!id) return FunctionNames::too_many(given_[kFunction].place);
  if (builder_.size() == History::kMaxOperations) return Error{"too many operations in one history", place_};
  const Value process = given_[kProcess].value;
  auto called = builder_.call(process, *id, args, place_);
  if (!called) return called.error();
  if (given_[kObject].present) builder_.set_object(*called, given_[kObject].value);
  invoked_[process] = invocation->value.value_or(kNull);
  return Done{};
}

Status JepsenEvents::complete(std::string_view type) {
  const Value process = given_[kProcess].value;
  if (!builder_.is_open(process)) {
    if (type == "info") return Done{};  // not the end of an operation: a remark
    return Error{fmt::format("'{}' of process {} without an invocation; expected its invoke first", type,
                             values().to_json(process)),
                 place_};
  }
  const std::string_view open = builder_.function_name(builder_.open_operation(process));
  if (given_[kFunction].present) {
    auto function = word(kFunction, "the function's name");
    if (!function) return function.error();
    if (*function != open) {
      return Error{fmt::format("'{}' of '{}', but process {} is running '{}'; expected the same function",
                               type, *function, values().to_json(process), open),
                   given_[kFunction].place};
    }
  }
  if (type == "fail") return builder_.fail(process, place_);
  if (type == "info") return builder_.lose(process, place_);
  auto completion = data();
  if (!completion) return completion.error();
  auto completed =
      builder_.complete(process, jepsen_result(jepsen_kind(open), invoked_[process], *completion), place_);
  if (!completed) return completed.error();
  return Done{};
}

Status JepsenEvents::end_history() {
  if (!started_) return Done{};
  if (!has_client_ && stranger_ != Place{}) {
    return Error{"no event here is of a client; expected whole numbers as processes", stranger_};
  }
  auto history = builder_.finish();
  if (!history) return history.error();
  histories_.push_back(std::move(*history));
  names_.clear();
  invoked_.clear();
  indices_.clear();
  started_ = false;
  has_client_ = false;
  stranger_ = {};
  return Done{};
}

Result<std::vector<History>> JepsenEvents::finish() {
  if (histories_.empty()) started_ = true;  // no event at all is an empty history
  if (auto status = end_history(); !status) return status.error();
  return std::move(histories_);
}

}  // namespace plumb
