// From events to histories. See jepsen_event.hpp.
#include "formats/jepsen_event.hpp"

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

Status JepsenEvents::end() {
  if (given_[kPlumb].present) return header();
  if (!given_[kProcess].present) {
    return Error{"an event without \"process\"; expected process, type, f and value", place_};
  }
  auto type = word(kType, "the type as invoke, ok, fail or info");
  if (!type) return type.error();
  static const std::array<std::string, 4> kTypes = {"invoke", "ok", "fail", "info"};
  const auto known = std::ranges::find(kTypes, *type);
  if (known == kTypes.end()) {
    return Error{fmt::format("expected the type invoke, ok, fail or info, found '{}'{}", *type,
                             did_you_mean(*type, kTypes)),
                 given_[kType].place};
  }
  if (auto status = check_index(); !status) return status;
  JepsenEvent found{static_cast<JepsenType>(known - kTypes.begin()), given_[kProcess].value};
  if (values().kind(found.process) == ValueKind::kReal) {
    return Error{
        fmt::format("expected the process as a whole number, found {}", values().to_json(found.process)),
        given_[kProcess].place};
  }
  if (values().kind(found.process) != ValueKind::kInteger) {
    started_ = true;
    if (found.type != JepsenType::kInfo && stranger_ == Place{}) stranger_ = given_[kProcess].place;
    return Ok{};
  }
  found.place = place_;
  found.function_place = given_[kFunction].place;
  found.object = given_[kObject].value;
  const bool remark = found.type == JepsenType::kInfo && !sink_.open_function(found.process);
  if (!remark && (given_[kFunction].present || found.type == JepsenType::kInvoke)) {
    auto function = word(kFunction, "the function's name");
    if (!function) return function.error();
    found.function = *function;
  }
  if (found.type == JepsenType::kInvoke || found.type == JepsenType::kOk) {
    auto given = data();
    if (!given) return given.error();
    found.data = *given;
  }
  return event(found);
}

Status JepsenEvents::event(JepsenEvent event) {
  started_ = true;
  has_client_ = true;
  const bool has_value = event.type == JepsenType::kInvoke || event.type == JepsenType::kOk;
  if (kind_ == JepsenValues::kSingleSteps && !has_value)
    event.function = std::nullopt;  // which it is, its call says
  if (kind_ != JepsenValues::kPlain && has_value) {
    auto status = kind_ == JepsenValues::kIndependent ? split(event) : split_step(event);
    if (!status) return status;
  }
  return event.type == JepsenType::kInvoke ? invoke(event) : complete(event);
}

// The key becomes the object.
Status JepsenEvents::split(JepsenEvent& event) const {
  const Value both = event.data.value.value_or(kNull);
  const Values& values = sink_.values();
  if (values.kind(both) != ValueKind::kArray || values.as_array(both).size() != 2) {
    return Error{fmt::format("expected a value [key value], as jepsen.independent writes them, found {}",
                             values.to_json(both)),
                 event.place};
  }
  const auto items = values.as_array(both);
  event.object = items[0];
  event.data.value = items[1];
  return check_object(event);
}

// [[:r x nil]] reads the register x, [[:w x 1]] writes it.
Status JepsenEvents::split_step(JepsenEvent& event) const {
  const Values& values = sink_.values();
  const Value steps = event.data.value.value_or(kNull);
  const auto wrong = [&](std::string_view expected) {
    return Error{fmt::format("expected {}, found {}", expected, values.to_json(steps)), event.place};
  };
  if (event.function && *event.function != "txn") {
    return Error{fmt::format("expected the function txn, found '{}'", *event.function), event.function_place};
  }
  if (values.kind(steps) != ValueKind::kArray || values.as_array(steps).size() != 1)
    return wrong(
        "a transaction of one step, [[:r key nil]] or [[:w key value]] (longer ones: --model "
        "multi-register)");
  const Value step = values.as_array(steps)[0];
  if (values.kind(step) != ValueKind::kArray || values.as_array(step).size() != 3 ||
      values.kind(values.as_array(step)[0]) != ValueKind::kString)
    return wrong("a step [:r key value] or [:w key value]");
  const auto items = values.as_array(step);
  std::string_view what = values.as_string(items[0]);
  if (what.starts_with(':')) what.remove_prefix(1);
  const bool reads = what == "r" || what == "read";
  if (!reads && what != "w" && what != "write") return wrong("a step :r or :w");
  event.function = reads ? "read" : "write";
  event.object = items[1];
  event.data = {};
  event.data.value = reads && event.type == JepsenType::kInvoke ? kNull : items[2];
  if (auto status = check_object(event); !status) return status;
  return reads ? Status(Ok{}) : check_written(event);
}

// What was written is what the call says.
Status JepsenEvents::check_written(const JepsenEvent& event) const {
  const Values& values = sink_.values();
  const auto open = invoked_.find(event.process);
  if (event.type != JepsenType::kOk || open == invoked_.end() || open->second.value == *event.data.value)
    return Ok{};
  if (sink_.open_function(event.process) != "write") return Ok{};  // which is said elsewhere
  return Error{fmt::format("the value {}, but process {} was called to write {}; expected the same value",
                           values.to_json(*event.data.value), values.to_json(event.process),
                           values.to_json(open->second.value)),
               event.place};
}

// What returns is of the object that was called.
Status JepsenEvents::check_object(const JepsenEvent& event) const {
  const Values& values = sink_.values();
  if (event.type != JepsenType::kOk) return Ok{};
  const auto open = invoked_.find(event.process);
  if (open == invoked_.end() || open->second.object == event.object) return Ok{};
  return Error{fmt::format("the key {}, but process {} was called with {}; expected the same key",
                           values.to_json(event.object), values.to_json(event.process),
                           values.to_json(open->second.object)),
               event.place};
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
  started_ = true;
  return sink_.begin(header);
}

Status JepsenEvents::check_index() {
  const Given& index = given_[kIndex];
  if (!is_whole_ || !index.present || index.value.is_null() || indices_.insert(index.value).second)
    return Ok{};
  return Error{fmt::format("the index {} appears twice; expected a new one", values().to_json(index.value)),
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

Status JepsenEvents::invoke(const JepsenEvent& event) {
  const auto args = jepsen_arguments(jepsen_kind(*event.function), event.data, values());
  auto called = sink_.call(event.process, *event.function, args, event.object, event.place);
  if (called) invoked_[event.process] = {event.data.value.value_or(kNull), event.object};
  return called;
}

Status JepsenEvents::complete(const JepsenEvent& event) {
  const auto open = sink_.open_function(event.process);
  static constexpr std::array<std::string_view, 4> kTypes = {"invoke", "ok", "fail", "info"};
  const std::string_view type = kTypes[static_cast<std::size_t>(event.type)];
  if (!open) {
    if (event.type == JepsenType::kInfo) return Ok{};  // not the end of an operation: a remark
    return sink_.without_invocation(
        {fmt::format("'{}' of process {} without an invocation; expected its invoke first", type,
                     values().to_json(event.process)),
         event.place});
  }
  if (event.function && *event.function != *open) {
    return Error{fmt::format("'{}' of '{}', but process {} is running '{}'; expected the same function", type,
                             *event.function, values().to_json(event.process), *open),
                 event.function_place};
  }
  if (event.type == JepsenType::kFail) return sink_.fail(event.process, event.place);
  if (event.type == JepsenType::kInfo) return sink_.lose(event.process, event.place);
  const auto result = jepsen_result(jepsen_kind(*open), invoked_[event.process].value, event.data);
  return sink_.complete(event.process, result, event.place);
}

Status JepsenEvents::end_history(bool even_empty) {
  if (!started_ && !even_empty) return Ok{};
  if (!has_client_ && stranger_ != Place{}) {
    return Error{"no event here is of a client; expected whole numbers as processes", stranger_};
  }
  if (auto ended = sink_.end(); !ended) return ended;
  invoked_.clear();
  indices_.clear();
  started_ = false;
  has_client_ = false;
  stranger_ = {};
  return Ok{};
}

}  // namespace plumb
