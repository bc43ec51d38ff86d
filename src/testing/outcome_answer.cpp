#include "testing/outcome_answer.hpp"

#include <bit>

#include "base/message.hpp"

namespace plumb::testing {

std::string to_answer(const Outcome& outcome) {
  MessageWriter answer;
  answer.number(static_cast<std::uint64_t>(outcome.verdict))
      .number(outcome.executions)
      .number(outcome.histories)
      .number(outcome.exhausted ? 1 : 0)
      .number(std::bit_cast<std::uint64_t>(outcome.serial_seconds))
      .number(std::bit_cast<std::uint64_t>(outcome.concurrent_seconds))
      .number(outcome.serial_histories)
      .number(outcome.returned)
      .number(outcome.spun_forever)
      .number(outcome.unseen ? 1 : 0)
      .number(static_cast<std::uint64_t>(outcome.cut))
      .text(outcome.kind)
      .text(outcome.message)
      .text(outcome.standing)
      .number(outcome.unwatched_writes.size());
  for (const UnwatchedWrite& write : outcome.unwatched_writes)
    answer.text(write.by).text(write.place).text(write.where);
  return answer.take();
}

std::optional<Outcome> from_answer(const std::string& answer) {
  MessageReader from(answer);
  Outcome outcome;
  const std::uint64_t verdict = from.number();
  outcome.verdict = static_cast<TestResult::Verdict>(verdict);
  outcome.executions = from.number();
  outcome.histories = from.number();
  outcome.exhausted = from.number() != 0;
  outcome.serial_seconds = std::bit_cast<double>(from.number());
  outcome.concurrent_seconds = std::bit_cast<double>(from.number());
  outcome.serial_histories = from.number();
  outcome.returned = from.number();
  outcome.spun_forever = from.number();
  outcome.unseen = from.number() != 0;
  const std::uint64_t cut = from.number();
  outcome.cut = static_cast<Cut>(cut);
  outcome.kind = from.text();
  outcome.message = from.text();
  outcome.standing = from.text();
  for (std::uint64_t writes = from.number(); writes > 0 && from.ok(); --writes) {
    UnwatchedWrite& write = outcome.unwatched_writes.emplace_back();
    write.by = from.text();
    write.place = from.text();
    write.where = from.text();
  }
  const bool known = verdict <= static_cast<std::uint64_t>(TestResult::Verdict::kError) &&
                     cut <= static_cast<std::uint64_t>(Cut::kChecker);
  return from.ok() && known ? std::optional(std::move(outcome)) : std::nullopt;
}

}  // namespace plumb::testing
