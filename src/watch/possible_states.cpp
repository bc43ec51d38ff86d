#include "watch/possible_states.hpp"

#include <algorithm>
#include <array>

#include "spec/models.hpp"

namespace plumb {

std::size_t PossibleStates::steps() const {
  std::size_t all_steps = 0;
  for (const StatePath& start : all) all_steps += start.path.size();
  return all_steps;
}

BaseState::BaseState(const OnlineSetting& setting, const PossibleStates& starts)
    : values(setting.values.get()) {
  const Value initial = starts.base ? values.array(*starts.base) : starts.value.value_or(setting.initial);
  states = std::move(setting.model->states(values, initial).value());
}

std::vector<StateId> run_path(States& states, std::span<const Executed> path) {
  std::vector<StateId> now = {states.initial()};
  std::vector<StateId> next;
  for (const Executed& step : path) {
    next.clear();
    for (const StateId state : now) states.step(state, step.op.call(), step.result, next);
    std::ranges::sort(next);
    next.erase(std::unique(next.begin(), next.end()), next.end());
    now.swap(next);
  }
  return now;
}

// A counter only: what led to its state can be left out by nothing else, as every addition counts. Registers forget by themselves.
std::optional<Value> state_value(const OnlineSetting& setting, States& states, StateId state) {
  if (known_family(*setting.model) != Family::kCounter) return std::nullopt;
  Call read;
  read.operation = *find_operation(*setting.model, "read");
  return states.results(state, read).front();
}

Executed append(std::uint32_t operation, Value item) {
  Executed step;
  step.op.operation = operation;
  step.op.args = {item};
  return step;
}

// Tried, not believed: from a list that is given, and from none.
std::optional<std::uint32_t> appending_operation(const OnlineSetting& setting) {
  Values values;
  const std::array items = {Value::small(2), Value::small(1), Value::small(3)};
  const auto none = setting.model->states(values, kNull);
  if (!none || !(*none)->items((*none)->initial())) return std::nullopt;
  const auto given = setting.model->states(values, values.array(std::span(items).first(2)));
  if (!given) return std::nullopt;
  const auto operations = setting.model->operations();
  for (std::uint32_t i = 0; i < operations.size(); ++i) {
    if (operations[i].takes.size() != 1 || operations[i].returns != Returns::kNothing) continue;
    const auto comes_to_items = [&](States& states, std::size_t first) {
      std::vector<Executed> path;
      for (std::size_t k = first; k < items.size(); ++k) path.push_back(append(i, items[k]));
      const auto ends = run_path(states, path);
      return ends.size() == 1 && std::ranges::equal(*states.items(ends[0]), items);
    };
    if (comes_to_items(**none, 0) && comes_to_items(**given, 2)) return i;
  }
  return std::nullopt;
}

// Larger pieces first: a put makes everything before it needless.
void shorten_path(States& states, StateId end, std::vector<Executed>& path) {
  constexpr std::size_t kMostSteps = 20'000;
  std::size_t steps = 0;
  const std::vector<StateId> before = run_path(states, path);
  std::vector<Executed> shorter;
  for (std::size_t piece = path.size(); piece > 0; piece /= 2) {
    for (std::size_t at = 0; at < path.size() && steps < kMostSteps;) {
      const std::size_t until = std::min(path.size(), at + piece);
      shorter.assign(path.begin(), path.begin() + static_cast<std::ptrdiff_t>(at));
      shorter.insert(shorter.end(), path.begin() + static_cast<std::ptrdiff_t>(until), path.end());
      steps += shorter.size() + 1;
      const auto ends = run_path(states, shorter);
      if (ends == before || ends == std::vector{end}) {
        path.swap(shorter);
      } else {
        at = until;
      }
    }
  }
}

}  // namespace plumb
