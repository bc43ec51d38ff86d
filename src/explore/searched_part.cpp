#include "explore/searched_part.hpp"

#include "base/message.hpp"
#include "explore/unwatched.hpp"
#include "explore/weak_orders.hpp"

namespace plumb::engine {

std::string to_message(const SearchedPart& part) {
  const Exploration& figures = part.figures;
  MessageWriter to;
  to.number(static_cast<std::uint64_t>(part.to))
      .number(figures.executions)
      .number(figures.pruned)
      .number(figures.steps)
      .number(figures.held_back ? 1 : 0)
      .number(figures.orders_met)
      .number(figures.ended_by ? static_cast<std::uint64_t>(*figures.ended_by) + 1 : 0)
      .number(static_cast<std::uint64_t>(figures.verdict))
      .number(static_cast<std::uint64_t>(figures.kind))
      .number(figures.refused ? 1 : 0)
      .text(figures.message)
      .text(figures.replay)
      .number(part.leaves_more ? 1 : 0)
      .number(part.has_weak_orders ? 1 : 0)
      .list<std::uint8_t>(part.choices)
      .text(part.learnt);
  to.number(figures.outcomes.size());
  for (const auto& [outcome, executions] : figures.outcomes) to.text(outcome).number(executions);
  to.number(figures.unwatched_writes.size());
  for (const UnwatchedWrite& write : figures.unwatched_writes)
    to.text(write.by).text(write.place).text(write.where);
  return to.take();
}

std::optional<SearchedPart> read_part(std::string_view message) {
  MessageReader from(message);
  SearchedPart part;
  Exploration& figures = part.figures;
  part.to = static_cast<SearchedTo>(from.number());
  figures.executions = from.number();
  figures.pruned = from.number();
  figures.steps = from.number();
  figures.held_back = from.number() != 0;
  figures.orders_met = from.number();
  if (const std::uint64_t ended = from.number(); ended > 0)
    figures.ended_by = static_cast<SearchEnd>(ended - 1);
  figures.verdict = static_cast<Outcome>(from.number());
  figures.kind = static_cast<FindingKind>(from.number());
  figures.refused = from.number() != 0;
  figures.message = from.text();
  figures.replay = from.text();
  part.leaves_more = from.number() != 0;
  part.has_weak_orders = from.number() != 0;
  part.choices = from.list<std::uint8_t>();
  part.learnt = from.text();
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const std::string outcome(from.text());
    figures.outcomes[outcome] = from.number();
  }
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    UnwatchedWrite& write = figures.unwatched_writes.emplace_back();
    write.by = from.text();
    write.place = from.text();
    write.where = from.text();
  }
  return from.ok() ? std::optional(std::move(part)) : std::nullopt;
}

void add_figures(const SearchedPart& part, Exploration& result) {
  const Exploration& figures = part.figures;
  result.executions += figures.executions;
  result.pruned += figures.pruned;
  result.steps += figures.steps;
  result.held_back |= figures.held_back;
  result.orders_met |= figures.orders_met;
  for (const auto& [outcome, executions] : figures.outcomes) result.outcomes[outcome] += executions;
  add_unwatched(figures.unwatched_writes, result.unwatched_writes);
  g_has_weak_orders |= part.has_weak_orders;
}

void believe(const SearchedPart& part, Exploration& result) {
  result.verdict = Outcome::kViolation;
  result.kind = part.figures.kind;
  result.refused = part.figures.refused;
  result.message = part.figures.message;
  result.replay = part.figures.replay;
  result.ended_by = SearchEnd::kFinding;
}

void disbelieve(Exploration& result) {
  result.verdict = Outcome::kViolation;
  result.kind = FindingKind::kNondeterministic;
  result.message = "another process found something that the same choices do not lead to here";
  result.ended_by = SearchEnd::kFinding;
}

}  // namespace plumb::engine
