// plumb/plumb.h: checking, in C's words. What a builder is told has errors like those of a file: operation N stands on line N.
#include <plumb/plumb.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/report.hpp>

#include "history/function_names.hpp"
#include "history/text.hpp"
#include "json/json_text.hpp"

struct plumb_histories {
  std::shared_ptr<const std::vector<plumb::History>> all;
};

struct plumb_builder {
  plumb::HistoryBuilder history;
  plumb::FunctionNames names;
  plumb::JsonText json;
  std::uint32_t told = 0;             // operations
  std::optional<plumb::Error> wrong;  // the first thing that was
};

struct plumb_verdict {
  std::shared_ptr<const std::vector<plumb::History>> all;
  std::size_t index;
  const plumb::Model* model;
  plumb::CheckOptions options;
  plumb::Verdict verdict;
  std::optional<std::string> explained;

  [[nodiscard]] const plumb::History& history() const { return (*all)[index]; }
};

namespace {

using plumb::CheckOptions;
using plumb::Error;
using plumb::History;
using plumb::Place;
using plumb::Result;
using plumb::Status;
using plumb::Value;

thread_local std::string last_error;

// Runs what may throw; a failure is told by plumb_error.
template <class T, class Work>
T* made(const Work& work) {
  try {
    Result<std::unique_ptr<T>> done = work();
    if (done) return std::move(*done).release();
    last_error = done.error().text();
  } catch (const std::bad_alloc&) {
    last_error = "not enough memory";
  } catch (const std::length_error&) {
    last_error = "not enough memory";
  }
  return nullptr;
}

Result<std::unique_ptr<plumb_histories>> hold(Result<std::vector<History>> histories) {
  if (!histories) return histories.error();
  auto all = std::make_shared<const std::vector<History>>(std::move(*histories));
  return std::make_unique<plumb_histories>(plumb_histories{std::move(all)});
}

std::string_view format_of(const char* format) { return format == nullptr ? "auto" : format; }

Status add(plumb_builder& to, std::int64_t process, const char* function, const char* arguments,
           const char* result, std::int64_t call, std::int64_t ret) {
  const Place place{++to.told, 1};
  plumb::Values& values = to.history.values();
  std::vector<Value> args;
  if (arguments != nullptr) {
    auto all = to.json.value(arguments, values, place);
    if (!all) return Error{"the arguments: " + all.error().message, place};
    if (values.kind(*all) != plumb::ValueKind::kArray)
      return Error{"expected the arguments as an array, found " + values.to_json(*all), place};
    const auto items = values.as_array(*all);
    args.assign(items.begin(), items.end());
  }
  if (args.size() > plumb::HistoryBuilder::kMaxArguments) return Error{"too many arguments", place};
  const bool is_pending = ret == PLUMB_PENDING;
  Value returned = plumb::kNull;
  if (result != nullptr) {
    auto value = to.json.value(result, values, place);
    if (!value) return Error{"the result: " + value.error().message, place};
    returned = *value;
  }
  if (is_pending && !returned.is_null())
    return Error{"a result of an operation that has not returned; expected NULL", place};
  if (plumb::first_invalid_utf8(function)) return Error{"the function's name is not valid UTF-8", place};
  const auto id = to.names.id(to.history, function);
  if (!id) return plumb::FunctionNames::too_many(place);
  to.history.add(values.integer(process), *id, args, {returned, result != nullptr && !is_pending}, call, ret,
                 place);
  return plumb::Ok{};
}

// The first error is told by plumb_builder_finish as well.
int remember(plumb_builder& builder, Error error) {
  error.file = "operation";
  last_error = error.text();
  if (!builder.wrong) builder.wrong = std::move(error);
  return -1;
}

// Members that the caller does not know of are zero.
Result<CheckOptions> options_of(const plumb_options* given) {
  CheckOptions options;
  if (given == nullptr) return options;
  if (given->size < sizeof(plumb_options))
    return Error{"plumb_options with a wrong size; expected sizeof(plumb_options)"};
  if (!(given->timeout >= 0) || !(given->clock_error >= 0))
    return Error{"a negative number in plumb_options; expected 0 or more"};
  if (given->time_unit > PLUMB_SECONDS)
    return Error{"no unit of time; expected PLUMB_NANOSECONDS to PLUMB_SECONDS"};
  constexpr double kForever = 1e9;  // thirty years
  if (given->timeout > 0 && given->timeout < kForever) options.timeout = plumb::Seconds(given->timeout);
  if (given->memory > 0) options.memory = given->memory;
  options.jobs = given->jobs;
  options.time_unit = static_cast<plumb::TimeUnit>(given->time_unit);
  if (given->clock_error > 0)
    options.clock_error = std::chrono::duration<double, std::milli>(given->clock_error);
  return options;
}

Result<std::unique_ptr<plumb_verdict>> check_one(const plumb_histories& histories, std::size_t index,
                                                 const char* model, const plumb_options* given) {
  if (index >= histories.all->size()) {
    return Error{"there is no history " + std::to_string(index) + "; there are " +
                 std::to_string(histories.all->size())};
  }
  const History& history = (*histories.all)[index];
  const std::string name = model != nullptr ? model : history.model();
  if (name.empty()) return Error{"the history names no model; expected the name of one"};
  const auto found = plumb::find_model(name);
  if (!found) return found.error();
  auto options = options_of(given);
  if (!options) return options.error();
  auto verdict = plumb::check(history, **found, *options);
  if (!verdict) return verdict.error();
  return std::make_unique<plumb_verdict>(
      plumb_verdict{histories.all, index, *found, std::move(*options), std::move(*verdict), std::nullopt});
}

std::size_t listed(const std::vector<plumb::OperationId>& ids, const std::uint32_t** operations) {
  if (operations != nullptr) *operations = ids.data();
  return ids.size();
}

}  // namespace

plumb_histories* plumb_read(const char* path, const char* format) {
  return made<plumb_histories>([&] { return hold(plumb::read_histories(path, format_of(format))); });
}

plumb_histories* plumb_parse(const char* bytes, size_t size, const char* format) {
  return made<plumb_histories>([&] {
    return hold(plumb::parse_histories({bytes, size}, format_of(format)));
  });
}

size_t plumb_count(const plumb_histories* histories) { return histories->all->size(); }

size_t plumb_operations(const plumb_histories* histories, size_t history) {
  return history < histories->all->size() ? (*histories->all)[history].size() : 0;
}

void plumb_histories_free(plumb_histories* histories) { delete histories; }

plumb_builder* plumb_builder_new(const char* model, const char* initial) {
  return made<plumb_builder>([&]() -> Result<std::unique_ptr<plumb_builder>> {
    auto builder = std::make_unique<plumb_builder>();
    if (model != nullptr) builder->history.set_model(model);
    if (initial != nullptr) {
      auto value = builder->json.value(initial, builder->history.values(), {});
      if (!value) return Error{"the initial value: " + value.error().message};
      builder->history.set_initial(*value);
    }
    return builder;
  });
}

int plumb_builder_add(plumb_builder* builder, int64_t process, const char* function, const char* arguments,
                      const char* result, int64_t call, int64_t ret) {
  try {
    const Status added = add(*builder, process, function, arguments, result, call, ret);
    return added ? 0 : remember(*builder, added.error());
  } catch (const std::bad_alloc&) {
    return remember(*builder, Error{"not enough memory"});
  } catch (const std::length_error&) {
    return remember(*builder, Error{"not enough memory"});
  }
}

plumb_histories* plumb_builder_finish(plumb_builder* builder) {
  const std::unique_ptr<plumb_builder> owned(builder);
  return made<plumb_histories>([&]() -> Result<std::unique_ptr<plumb_histories>> {
    if (owned->wrong) return *owned->wrong;
    auto history = owned->history.finish();
    if (!history) {
      Error error = history.error();
      error.file = "operation";
      return error;
    }
    std::vector<History> one;
    one.push_back(std::move(*history));
    return hold(std::move(one));
  });
}

plumb_verdict* plumb_check(const plumb_histories* histories, size_t history, const char* model,
                           const plumb_options* options) {
  return made<plumb_verdict>([&] { return check_one(*histories, history, model, options); });
}

int plumb_outcome(const plumb_verdict* verdict) {
  switch (verdict->verdict.outcome) {
    case plumb::Outcome::kHolds:
      return PLUMB_LINEARIZABLE;
    case plumb::Outcome::kViolation:
      return PLUMB_VIOLATION;
    case plumb::Outcome::kUnknown:
      break;
  }
  return PLUMB_UNKNOWN;
}

const char* plumb_reason(const plumb_verdict* verdict) {
  const plumb::Verdict& found = verdict->verdict;
  return found.violation ? found.violation->reason.c_str() : found.why.c_str();
}

size_t plumb_core(const plumb_verdict* verdict, const uint32_t** operations) {
  static const std::vector<plumb::OperationId> kNone;
  const auto& violation = verdict->verdict.violation;
  return listed(violation ? violation->operations : kNone, operations);
}

size_t plumb_order(const plumb_verdict* verdict, const uint32_t** operations) {
  return listed(verdict->verdict.linearization, operations);
}

const char* plumb_explain(plumb_verdict* verdict) {
  if (verdict->explained) return verdict->explained->c_str();
  const auto text =
      std::unique_ptr<std::string>(made<std::string>([&]() -> Result<std::unique_ptr<std::string>> {
        auto report =
            plumb::make_report(verdict->history(), *verdict->model, verdict->verdict,
                               plumb::ReportFormat::kText, {.file = "history"}, {}, verdict->options);
        if (!report) return report.error();
        return std::make_unique<std::string>(std::move(*report));
      }));
  if (!text) return nullptr;
  verdict->explained = std::move(*text);
  return verdict->explained->c_str();
}

void plumb_verdict_free(plumb_verdict* verdict) { delete verdict; }

const char* plumb_error(void) { return last_error.c_str(); }
