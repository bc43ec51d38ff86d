// Tasks and verdicts of parts as messages.
#include "base/message.hpp"
#include "check/part_executor.hpp"

namespace plumb {
namespace {

void write_texts(MessageWriter& to, const std::vector<std::string>& texts) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> read_texts(MessageReader& from) {
  std::vector<std::string> texts;
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) texts.emplace_back(from.text());
  return texts;
}

std::vector<Point> points_of(const Linearization& linearization) {
  std::vector<Point> points;
  points.reserve(linearization.size());
  for (std::size_t i = 0; i < linearization.size(); ++i)
    points.push_back({linearization.order()[i], linearization.position(i)});
  return points;
}

}  // namespace

std::string to_message(const PartTask& task) {
  return MessageWriter()
      .number(task.rank)
      .number(task.events)
      .number(task.configurations)
      .text(task.why_not)
      .take();
}

std::optional<PartTask> task_from(std::string_view message) {
  MessageReader from(message);
  PartTask task;
  task.rank = static_cast<std::uint32_t>(from.number());
  task.events = from.number();
  task.configurations = from.number();
  task.why_not = from.text();
  return from.ok() ? std::optional(std::move(task)) : std::nullopt;
}

// Only verdicts of one part among several are sent: their linearizations have positions.
std::string to_message(const PartVerdict& verdict) {
  MessageWriter to;
  to.number(static_cast<std::uint64_t>(verdict.outcome));
  to.number(verdict.decided_by ? static_cast<std::uint64_t>(*verdict.decided_by) + 1 : 0);
  to.number(verdict.depth ? *verdict.depth + std::uint64_t{1} : 0);
  to.text(verdict.why_not).text(verdict.wrong_claim);
  to.number(static_cast<std::uint64_t>(verdict.spent));
  to.number(verdict.reached ? verdict.reached->position + std::uint64_t{1} : 0);
  if (verdict.reached) to.list(std::span<const Point>(verdict.reached->order));
  to.list(std::span<const Point>(points_of(verdict.linearization)));
  const DeadEnd& stuck = verdict.stuck;
  to.number(stuck.of_core_only ? 1 : 0).number(stuck.returned_before).number(stuck.operation);
  to.list(std::span<const Point>(stuck.prefix));
  write_texts(to, stuck.allowed);
  to.number(stuck.allowed_complete ? 1 : 0);
  write_texts(to, stuck.states);
  to.list(std::span<const Event>(verdict.core));
  to.number(verdict.configurations).number(verdict.parts);
  return to.take();
}

std::optional<PartVerdict> verdict_from(std::string_view message) {
  MessageReader from(message);
  PartVerdict verdict;
  verdict.outcome = static_cast<Outcome>(from.number());
  if (const std::uint64_t engine = from.number(); engine != 0)
    verdict.decided_by = static_cast<Engine>(engine - 1);
  if (const std::uint64_t depth = from.number(); depth != 0) verdict.depth = static_cast<unsigned>(depth - 1);
  verdict.why_not = from.text();
  verdict.wrong_claim = from.text();
  verdict.spent = static_cast<StopReason>(from.number());
  if (const std::uint64_t position = from.number(); position != 0)
    verdict.reached = {static_cast<std::uint32_t>(position - 1), from.list<Point>()};
  verdict.linearization = from.list<Point>();
  DeadEnd& stuck = verdict.stuck;
  stuck.of_core_only = from.number() != 0;
  stuck.returned_before = from.number();
  stuck.operation = static_cast<OperationId>(from.number());
  stuck.prefix = from.list<Point>();
  stuck.allowed = read_texts(from);
  stuck.allowed_complete = from.number() != 0;
  stuck.states = read_texts(from);
  verdict.core = from.list<Event>();
  verdict.configurations = from.number();
  verdict.parts = from.number();
  return from.ok() ? std::optional(std::move(verdict)) : std::nullopt;
}

}  // namespace plumb
