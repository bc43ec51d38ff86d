#include "testing/scenario_answer.hpp"

#include <bit>

#include "base/message.hpp"
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

void write(const std::set<OperationPair>& pairs, MessageWriter& answer) {
  answer.number(pairs.size());
  for (const auto& [one, other] : pairs) answer.number(one).number(other);
}
std::set<OperationPair> read_pairs(MessageReader& from) {
  std::set<OperationPair> pairs;
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const auto one = static_cast<std::uint16_t>(from.number());
    pairs.emplace(one, static_cast<std::uint16_t>(from.number()));
  }
  return pairs;
}

void write(const CoverageNotes& notes, MessageWriter& answer) {
  answer.number(notes.destroyed ? 1 : 0);
  write(notes.beside, answer);
  write(notes.overlapped, answer);
  answer.number(notes.judged_claims ? 1 : 0);
  write(notes.handed_over, answer);
  answer.number(notes.results.size());
  for (const auto& [operation, seen] : notes.results) {
    answer.number(operation)
        .number(seen.are_more ? 1 : 0)
        .number(seen.succeeded ? 1 : 0)
        .number(seen.failed ? 1 : 0)
        .number(seen.threw ? 1 : 0)
        .number(seen.waited ? 1 : 0)
        .number(seen.texts.size());
    for (const std::string& text : seen.texts) answer.text(text);
  }
}
CoverageNotes read_coverage(MessageReader& from) {
  CoverageNotes notes;
  notes.destroyed = from.number() != 0;
  notes.beside = read_pairs(from);
  notes.overlapped = read_pairs(from);
  notes.judged_claims = from.number() != 0;
  notes.handed_over = read_pairs(from);
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    SeenResults& seen = notes.results[static_cast<std::uint16_t>(from.number())];
    seen.are_more = from.number() != 0;
    seen.succeeded = from.number() != 0;
    seen.failed = from.number() != 0;
    seen.threw = from.number() != 0;
    seen.waited = from.number() != 0;
    for (std::uint64_t texts = from.number(); texts > 0 && from.ok(); --texts)
      seen.texts.insert(std::string(from.text()));
  }
  return notes;
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
  write(outcome.coverage, answer);
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
