#include "history/event_sink.hpp"

#include <fmt/format.h>

namespace plumb {

Status HistorySink::begin(const Header& header) {
  header.apply(builder_);
  return Ok{};
}

Status HistorySink::end() {
  auto history = builder_.finish();
  if (!history) return history.error();
  histories_.push_back(std::move(*history));
  names_.clear();
  return Ok{};
}

Status HistorySink::call(Value process, std::string_view function, std::span<const Value> args, Value object,
                         Place place) {
  if (args.size() > HistoryBuilder::kMaxArguments) {
    return Error{fmt::format("too many arguments; expected at most {}", HistoryBuilder::kMaxArguments),
                 place};
  }
  const auto id = names_.id(builder_, function);
  if (!id) return FunctionNames::too_many(place);
  if (builder_.size() == History::kMaxOperations) return Error{"too many operations in one history", place};
  auto called = builder_.call(process, *id, args, place);
  if (!called) return called.error();
  if (!object.is_null()) builder_.set_object(*called, object);
  return Ok{};
}

Status HistorySink::complete(Value process, HistoryBuilder::Completed completed, Place place) {
  auto done = builder_.complete(process, completed, place);
  return done ? Status(Ok{}) : done.error();
}

std::optional<std::string_view> HistorySink::open_function(Value process) const {
  if (!builder_.is_open(process)) return std::nullopt;
  return builder_.function_name(builder_.open_operation(process));
}

}  // namespace plumb
