// plumb/plumb.h: checking, in C's words. What a builder is told becomes lines of jsonl, so that its errors are those of a file.
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

struct plumb_histories {
  std::shared_ptr<const std::vector<plumb::History>> all;
};

struct plumb_builder {
  std::string text;
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
using plumb::Result;

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

// JSON on one line.
void append_json(const char* json, std::string& out) {
  const std::size_t before = out.size();
  out += json;
  std::replace(out.begin() + static_cast<std::ptrdiff_t>(before), out.end(), '\n', ' ');
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
    builder->text = R"({"plumb":1)";
    if (model != nullptr) {
      builder->text += R"(,"model":)";
      plumb::append_json_string(model, builder->text);
    }
    if (initial != nullptr) {
      builder->text += R"(,"initial":)";
      append_json(initial, builder->text);
    }
    builder->text += '}';
    return builder;
  });
}

// Each line begins with its end, so that operation N stands on line N, and what is said of the whole on that of the first.
int plumb_builder_add(plumb_builder* builder, int64_t process, const char* function, const char* arguments,
                      const char* result, int64_t call, int64_t ret) {
  try {
    std::string line = "\n{\"process\":" + std::to_string(process) + ",\"f\":";
    plumb::append_json_string(function, line);
    line += ",\"args\":";
    append_json(arguments == nullptr ? "[]" : arguments, line);
    if (result != nullptr) {
      line += ",\"result\":";
      append_json(result, line);
    }
    line += ",\"call\":" + std::to_string(call) + ",\"return\":";
    line += ret == PLUMB_PENDING ? "null" : std::to_string(ret);
    builder->text += line + "}";
    return 0;
  } catch (const std::bad_alloc&) {
    last_error = "not enough memory";
    return -1;
  }
}

plumb_histories* plumb_builder_finish(plumb_builder* builder) {
  const std::unique_ptr<plumb_builder> owned(builder);
  return made<plumb_histories>([&]() -> Result<std::unique_ptr<plumb_histories>> {
    auto histories = plumb::parse_histories(owned->text, "jsonl", "operation");
    if (histories) return hold(std::move(histories));
    Error error = histories.error();
    if (error.place.line > 1) --error.place.line;  // the header
    return error;
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
