#include "testing/replay_token.hpp"

#include <utility>

#include <fmt/format.h>

#include "explore/schedule.hpp"

namespace plumb::testing {
namespace {

// Before the schedule.
constexpr char kFusesCall = '+';
constexpr char kSolo = '%';

}  // namespace

std::string to_text(const ReplayToken& token, const TestCase& test) {
  std::string of = fmt::format("{}@{}@", test.name(), to_text(token.scenario));
  if (token.solo) {
    of += kSolo;
  } else if (token.fuses_call_with_first_step) {
    of += kFusesCall;
  }
  const auto choices = engine::from_token(token.memory_model, token.schedule);
  return choices ? of + engine::to_token(token.memory_model, *choices, of) : of;
}

namespace {

// What is before the schedule, and the schedule.
std::pair<std::string_view, std::string_view> parts(std::string_view text, std::size_t second) {
  std::size_t at = second + 1;
  if (at < text.size() && (text[at] == kFusesCall || text[at] == kSolo)) ++at;
  return {text.substr(0, at), text.substr(at)};
}

}  // namespace

bool token_was_made_for(std::string_view token, const std::string& test) {
  const std::size_t first = token.find('@');
  const std::size_t second = token.find('@', first + 1);
  if (first == std::string_view::npos || second == std::string_view::npos) return false;
  const auto [of, schedule] = parts(token, second);
  const auto model = engine::model_of_token(schedule);
  return model && engine::from_token(*model, schedule, test + std::string(of.substr(first))).ok();
}

Result<ReplayToken> parse_replay_token(std::string_view text, const TestCase& test) {
  if (!token_is_for(text, test.name()))
    return Error{fmt::format("replay token \"{}\": it belongs to a test other than {}", text, test.name())};
  const std::size_t first = test.name().size();
  const std::size_t second = text.find('@', first + 1);
  if (second == std::string_view::npos)
    return Error{fmt::format("\"{}\" is not a replay token: NAME@SCENARIO@SCHEDULE", text)};
  auto scenario = parse_scenario(text.substr(first + 1, second - first - 1), test);
  if (!scenario) return scenario.error();
  ReplayToken token{.scenario = std::move(*scenario)};
  std::string_view schedule = text.substr(second + 1);
  token.fuses_call_with_first_step = schedule.starts_with(kFusesCall);
  token.solo = schedule.starts_with(kSolo);
  if (token.fuses_call_with_first_step || token.solo) schedule.remove_prefix(1);
  token.memory_model = engine::model_of_token(schedule).value_or(MemoryModel::kSequential);
  const auto choices =
      engine::from_token(token.memory_model, schedule, text.substr(0, text.size() - schedule.size()));
  if (!choices) return choices.error();
  token.schedule = engine::to_token(token.memory_model, *choices);
  return token;
}

bool token_is_for(std::string_view token, std::string_view test) {
  return token.size() > test.size() && token.starts_with(test) && token[test.size()] == '@';
}

}  // namespace plumb::testing
