#include "testing/scenario_answer.hpp"

#include <bit>

#include "base/message.hpp"
#include "testing/coverage_message.hpp"
#include "testing/kinds.hpp"

namespace plumb::testing {
namespace {

// 0: none.
template <class E>
std::uint64_t number_of(std::optional<E> value) {
  return value ? static_cast<std::uint64_t>(*value) + 1 : 0;
}
template <class E>
std::optional<E> from_number(std::uint64_t number) {
  return number == 0 ? std::nullopt : std::optional(static_cast<E>(number - 1));
}

}  // namespace

std::string to_answer(const ScenarioResult& outcome) {
  MessageWriter answer;
  answer.number(static_cast<std::uint64_t>(outcome.verdict))
      .number(outcome.refused ? 1 : 0)
      .number(outcome.executions)
      .number(outcome.histories)
      .number(outcome.exhausted ? 1 : 0)
      .number(std::bit_cast<std::uint64_t>(outcome.serial_time.count()))
      .number(std::bit_cast<std::uint64_t>(outcome.concurrent_time.count()))
      .number(outcome.serial_histories)
      .number(outcome.returned)
      .number(outcome.spun_forever)
      .number(outcome.unseen ? 1 : 0)
      .number(outcome.held_back ? 1 : 0)
      .number(number_of(outcome.cut))
      .number(number_of(outcome.kind))
      .text(outcome.message)
      .text(outcome.standing)
      .text(outcome.beyond_states)
      .text(outcome.token)
      .number(outcome.solo ? 1 : 0)
      .number(outcome.fuses_call_with_first_step ? 1 : 0)
      .number(outcome.has_weak_orders ? 1 : 0)
      .number(outcome.orders_met)
      .number(static_cast<std::uint64_t>(outcome.memory_model))
      .number(outcome.met_once);
  write_coverage(outcome.coverage, answer);
  answer.number(outcome.unwatched_writes.size());
  for (const UnwatchedWrite& write : outcome.unwatched_writes)
    answer.text(write.by).text(write.place).text(write.where);
  return answer.take();
}

std::optional<ScenarioResult> from_answer(const std::string& answer) {
  MessageReader from(answer);
  ScenarioResult outcome;
  const std::uint64_t verdict = from.number();
  outcome.verdict = static_cast<Outcome>(verdict);
  outcome.refused = from.number() != 0;
  outcome.executions = from.number();
  outcome.histories = from.number();
  outcome.exhausted = from.number() != 0;
  outcome.serial_time = Seconds(std::bit_cast<double>(from.number()));
  outcome.concurrent_time = Seconds(std::bit_cast<double>(from.number()));
  outcome.serial_histories = from.number();
  outcome.returned = from.number();
  outcome.spun_forever = from.number();
  outcome.unseen = from.number() != 0;
  outcome.held_back = from.number() != 0;
  const std::uint64_t cut = from.number();
  outcome.cut = from_number<CutOff>(cut);
  const std::uint64_t kind = from.number();
  outcome.kind = from_number<ViolationKind>(kind);
  outcome.message = from.text();
  outcome.standing = from.text();
  outcome.beyond_states = from.text();
  outcome.token = from.text();
  outcome.solo = from.number() != 0;
  outcome.fuses_call_with_first_step = from.number() != 0;
  outcome.has_weak_orders = from.number() != 0;
  outcome.orders_met = from.number();
  outcome.memory_model = static_cast<MemoryModel>(from.number());
  outcome.met_once = from.number();
  outcome.coverage = read_coverage(from);
  for (std::uint64_t writes = from.number(); writes > 0 && from.ok(); --writes) {
    UnwatchedWrite& write = outcome.unwatched_writes.emplace_back();
    write.by = from.text();
    write.place = from.text();
    write.where = from.text();
  }
  const bool known =
      verdict <= static_cast<std::uint64_t>(Outcome::kUnknown) && cut <= kCutOffs && kind <= kViolationKinds;
  return from.ok() && known ? std::optional(std::move(outcome)) : std::nullopt;
}

}  // namespace plumb::testing
