#include "testing/campaign.hpp"

#include <algorithm>

namespace plumb::testing {
namespace {

constexpr Seconds kFirstShare{0.1};      // of a proof of the first part
constexpr double kFasterShares = 4;      // each time that it was too short
constexpr double kOfBudget = 1.0 / 200;  // the first share of a larger scenario, of the time of one worker
constexpr Seconds kLeastShare{0.05};
constexpr Seconds kMostForWalks{1};
// Most faults show in small scenarios at once, and there always in the same one: nothing else is run meanwhile.
constexpr Seconds kProofsOnly{0.4};
constexpr unsigned kCutsToLearn = 2;   // at a rung, one after another
constexpr double kWalksBeside = 0.5;   // of the time of proofs, once the first part is done
constexpr double kAloneFrom = 0.5;     // of the budget: from then on only the first part, if it is not done
constexpr std::size_t kOfLargest = 3;  // scenarios of the largest shape to be walked for each of another
constexpr std::size_t kFirstWindow = 32;  // scenarios

}  // namespace

Campaign::Campaign(const CampaignPlan& plan, const CampaignTerms& terms)
    : plan_(plan),
      terms_(terms),
      states_(plan.scenarios.size()),
      climbs_(plan.parts.size()),
      rounds_(plan.scenarios.size()) {
  if (terms.memory_model != MemoryModel::kSequential) {
    ladder_ = {kAnyPreemptions};
  } else if (terms.preemptions) {
    ladder_ = {*terms.preemptions};
  } else {
    ladder_ = {kAnyPreemptions, PreemptionBound(3), PreemptionBound(2)};
  }
  for (std::size_t i = 0; i < plan.first_size(); ++i) {
    if (has(i)) first_.push_back(i);
  }
  first_left_ = first_.size();
  const Seconds share = terms.budget * static_cast<double>(terms.workers) * kOfBudget;
  for (Climb& climb : climbs_) climb.share = std::max(share, kLeastShare);
  order_walks();
}

// Of each larger shape in turn, of the largest several: what needs many operations shows only there. Small ones, which are exhausted
// anyway, come last.
void Campaign::order_walks() {
  std::vector<std::size_t> at(plan_.parts.size());
  const auto add = [&](std::size_t part, std::size_t count) {
    for (; count > 0 && at[part] < plan_.parts[part].size(); --count)
      walk_order_.push_back(plan_.parts[part].begin + at[part]++);
  };
  const std::size_t last = plan_.parts.size() - 1;
  const std::size_t larger = plan_.scenarios.size() - plan_.first_size();
  while (walk_order_.size() < larger) {
    add(last, kOfLargest);
    for (std::size_t part = last; part > 0 && !plan_.parts[part].is_first; --part) add(part, 1);
  }
  for (std::size_t number = plan_.first_size(); number > 0; --number) walk_order_.push_back(number - 1);
  std::erase_if(walk_order_, [this](std::size_t number) { return !has(number); });
}

std::optional<Task> Campaign::next(Seconds passed) {
  const Seconds left = terms_.budget - passed;
  if (left <= Seconds::zero()) return std::nullopt;
  const double beside = first_part_waits() ? 1 : kWalksBeside;
  const bool is_early = first_part_waits() && passed < kProofsOnly;
  const bool is_walks_turn = !is_late(passed) && !is_early && walk_time_ < beside * proof_time_;
  std::optional<Task> task = is_walks_turn ? next_walk(left) : next_proof(left);
  if (!task) task = is_walks_turn ? next_proof(left) : next_walk(left);
  if (task) begun_.insert(task->number);
  return task;
}

bool Campaign::is_late(Seconds passed) const {
  return first_part_waits() && passed > kAloneFrom * terms_.budget;
}

bool Campaign::wants_more(std::size_t number) const {
  const State& state = states_[number];
  return has(number) && !state.is_hopeless && state.rung != std::size_t{0};
}

std::optional<Task> Campaign::next_proof(Seconds left) {
  return first_part_waits() ? next_of_first(left) : next_further(left);
}

std::optional<Task> Campaign::next_of_first(Seconds left) {
  if (first_.empty()) return std::nullopt;  // others are at what is left
  const std::size_t number = first_.front();
  first_.pop_front();
  const State& state = states_[number];
  Seconds share = state.share == Seconds::zero() ? kFirstShare : kFasterShares * state.share;
  if (first_left_ - first_hopeless_ <= terms_.workers) share = left;
  return proof(number, 0, share, left);
}

// The shape that has had the least time, and has something left to do.
std::optional<Task> Campaign::next_further(Seconds left) {
  std::vector<std::size_t> parts;
  for (std::size_t i = 0; i < plan_.parts.size(); ++i) {
    if (!plan_.parts[i].is_first) parts.push_back(i);
  }
  std::ranges::stable_sort(parts, {}, [&](std::size_t part) { return climbs_[part].spent; });
  for (const std::size_t part : parts) {
    if (auto task = next_of_part(part, left)) return task;
  }
  return std::nullopt;
}

std::optional<Task> Campaign::next_of_part(std::size_t part, Seconds left) {
  Climb& climb = climbs_[part];
  if (!climb.lower.empty()) {
    const std::size_t number = climb.lower.front();
    climb.lower.pop_front();
    return proof(number, *states_[number].tried + 1, climb.share, left);
  }
  for (int attempt = 0; attempt < 2; ++attempt) {
    bool is_any_left = false;
    for (std::size_t number = plan_.parts[part].begin; number < plan_.parts[part].end; ++number) {
      State& state = states_[number];
      if (!wants_more(number) || state.is_proved) continue;
      is_any_left = true;
      if (state.pass == climb.pass || (state.rung && *state.rung <= climb.rung)) continue;
      state.pass = climb.pass;
      return proof(number, climb.rung, climb.share, left);
    }
    if (!is_any_left) return std::nullopt;
    // All were visited: once more, from the top of the ladder, and for longer.
    ++climb.pass;
    climb.rung = 0;
    climb.cuts = 0;
    climb.share = std::min(kFasterShares * climb.share, std::max(left, kLeastShare));
  }
  return std::nullopt;
}

Task Campaign::proof(std::size_t number, std::size_t rung, Seconds share, Seconds left) {
  State& state = states_[number];
  state.is_proved = true;
  state.share = std::min(share, left);
  return {.number = number,
          .effort = {.kind = Effort::Kind::kProof,
                     .preemptions = ladder_[rung].most(),
                     .memory_model = terms_.memory_model},
          .share = state.share};
}

// A scenario that was exhausted without a bound has no schedules left to walk.
std::optional<Task> Campaign::next_walk(Seconds left) {
  const auto wants = [&](std::size_t number) { return wants_more(number); };
  if (std::ranges::none_of(walk_order_, wants)) return std::nullopt;
  for (;;) {
    if (walk_at_ >= window_) {
      window_ = std::min(std::max(kFirstWindow, 2 * window_), walk_order_.size());
      walk_at_ = 0;
    }
    const std::size_t number = walk_order_[walk_at_++];
    if (!wants_more(number)) continue;
    return Task{.number = number,
                .effort = {.kind = Effort::Kind::kWalks,
                           .memory_model = terms_.memory_model,
                           .round = rounds_[number]++},
                .share = std::min(kMostForWalks, left)};
  }
}

void Campaign::handed_out_before(const Task& task) {
  begun_.insert(task.number);
  if (task.effort.kind == Effort::Kind::kWalks) {
    rounds_[task.number] = std::max(rounds_[task.number], task.effort.round + 1);
    return;
  }
  State& state = states_[task.number];
  Climb& climb = climbs_[part_of(task.number)];
  state.is_proved = true;
  state.share = task.share;
  state.pass = climb.pass;
  std::erase(first_, task.number);
  std::erase(climb.lower, task.number);
}

void Campaign::take(const Task& task, const ScenarioResult& outcome, Seconds took) {
  if (task.effort.kind == Effort::Kind::kWalks) {
    walk_time_ += took;
    take_walks(task, outcome);
  } else {
    proof_time_ += took;
    climbs_[part_of(task.number)].spent += took;
    take_proof(task, outcome);
  }
}

void Campaign::take_walks(const Task& task, const ScenarioResult& outcome) {
  if (outcome.refused) states_[task.number].is_hopeless = true;
  figures_.walked += task.effort.round == 0 ? 1 : 0;
  figures_.walks += outcome.executions;
  slices_[task.number] = {
      .executions = outcome.executions, .histories = outcome.histories, .met_once = outcome.met_once};
}

void Campaign::take_proof(const Task& task, const ScenarioResult& outcome) {
  State& state = states_[task.number];
  state.is_proved = false;
  const bool is_first = plan_.parts[part_of(task.number)].is_first;
  const auto rung = static_cast<std::size_t>(
      std::ranges::find(ladder_, task.effort.preemptions, &PreemptionBound::most) - ladder_.begin());
  if (outcome.verdict == Outcome::kHolds) {
    state.rung = std::min(rung, state.rung.value_or(rung));
    state.executions = outcome.executions;
    state.histories = outcome.histories;
    Climb& climb = climbs_[part_of(task.number)];
    if (rung == climb.rung) climb.cuts = 0;
    if (is_first) --first_left_;
  } else if (outcome.cut != CutOff::kTimeout) {
    state.is_hopeless = true;
    if (is_first) ++first_hopeless_;
  } else if (is_first) {
    first_.push_back(task.number);
  } else {
    state.tried = rung;
    cut_off(task);
  }
}

// A larger scenario did not end in its share.
void Campaign::cut_off(const Task& task) {
  Climb& climb = climbs_[part_of(task.number)];
  State& state = states_[task.number];
  const bool is_lowest = *state.tried + 1 == ladder_.size();
  if (!is_lowest && (!state.rung || *state.tried + 1 < *state.rung)) climb.lower.push_back(task.number);
  if (*state.tried != climb.rung || ++climb.cuts < kCutsToLearn) return;
  climb.cuts = 0;
  if (is_lowest) {
    climb.share *= 2;
  } else {
    ++climb.rung;
  }
}

std::size_t Campaign::part_of(std::size_t number) const {
  std::size_t part = 0;
  while (plan_.parts[part].end <= number) ++part;
  return part;
}

std::optional<PreemptionBound> Campaign::exhausted(std::size_t number) const {
  const auto rung = states_[number].rung;
  return rung ? std::optional(ladder_[*rung]) : std::nullopt;
}

ExhaustedShape Campaign::exhausted(const CampaignPlan::Part& part, std::size_t rung) const {
  ExhaustedShape shape{.threads = part.shape.threads,
                       .operations = part.shape.operations,
                       .preemptions = ladder_[rung].most(),
                       .existing = part.existing};
  for (std::size_t number = part.begin; number < part.end; ++number) {
    const State& state = states_[number];
    if (state.rung != rung) continue;
    ++shape.scenarios;
    shape.executions += state.executions;
    shape.histories += state.histories;
  }
  return shape;
}

CampaignFigures Campaign::figures() const {
  CampaignFigures figures = figures_;
  for (const CampaignPlan::Part& part : plan_.parts) {
    for (std::size_t rung = 0; rung < ladder_.size(); ++rung) {
      const ExhaustedShape shape = exhausted(part, rung);
      if (shape.scenarios == 0 && !(part.is_first && rung == 0)) continue;
      (part.is_first ? figures.first : figures.further).push_back(shape);
    }
  }
  Slice all;
  for (const auto& [_, slice] : slices_) {
    all.executions += slice.executions;
    all.histories += slice.histories;
    all.met_once += slice.met_once;
  }
  figures.walk_histories = all.histories;
  if (all.executions > 0)
    figures.unmet = static_cast<double>(all.met_once) / static_cast<double>(all.executions);
  return figures;
}

}  // namespace plumb::testing
