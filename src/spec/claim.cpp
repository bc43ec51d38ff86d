#include "spec/claim.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "base/rng.hpp"
#include "spec/bind.hpp"
#include "spec/claim_roles.hpp"
#include "spec/models.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostPairs = 1'000;  // of states from which every operation is tried: some milliseconds
constexpr std::size_t kLongRun = 1'600;    // operations
constexpr std::size_t kMostValues = 3;

// It means the same in every table of values.
bool needs_no_table(Value value) { return value.is_null() || value.is_bool() || value.is_small(); }

// A call, to be made on both sides.
struct Trial {
  std::uint32_t own = 0;
  std::uint32_t theirs = 0;
  Value process;
  std::vector<Value> args;
  [[nodiscard]] Call on_own() const { return {own, process, args}; }
  [[nodiscard]] Call on_theirs() const { return {theirs, process, args}; }
};

// Values of one kind that every operation takes as any of its arguments. Numbers and texts are such that the usual mistakes
// about their order show.
class TestValues {
 public:
  explicit TestValues(Values& values) {
    const auto number = [&](std::int64_t n) { return values.integer(n); };
    const auto text = [&](std::string_view t) { return values.string(t); };
    const auto pair = [&](std::int64_t a, std::int64_t b) {
      const std::array items = {number(a), number(b)};
      return values.array(items);
    };
    candidates_ = {{number(10), number(-1), number(2)},
                   {number(10), number(1), number(2)},
                   {text("b10"), text("a"), text("A")},
                   {values.real(1.5), values.real(-0.5), values.real(0.25)},
                   {kFalse, kTrue, kTrue},
                   {pair(10, 1), pair(2, 1), pair(2, 3)}};
  }

  // None: no candidates fit.
  [[nodiscard]] std::optional<std::vector<Value>> that_fit(const Model& model, const Model& built_in,
                                                           std::span<const std::uint32_t> matched,
                                                           const Values& values) const {
    for (const std::vector<Value>& candidate : candidates_) {
      bool fit = true;
      for (std::uint32_t i = 0; i < matched.size() && fit; ++i) {
        if (matched[i] == TestedClaim::kOutside) continue;
        for (const Value value : candidate)
          fit = fit && takes(model, i, value, values) && takes(built_in, matched[i], value, values);
      }
      if (fit) return candidate;
    }
    return std::nullopt;
  }

 private:
  static bool takes(const Model& model, std::uint32_t operation, Value value, const Values& values) {
    const OperationSpec& spec = model.operations()[operation];
    const std::vector<Value> args(spec.takes.size(), value);
    return !wrong_arguments(spec, spec.name, args, values) &&
           !model.validate({operation, Value::small(0), args}, std::nullopt, values);
  }

  std::vector<std::vector<Value>> candidates_;
};

class ClaimTest {
 public:
  explicit ClaimTest(const Model& model) : model_(model), family_(to_string(model.claim()->family())) {}

  TestedClaim run() {
    auto status = prepare();
    if (status) status = compare_all();
    if (status) status = compare_long_run();
    if (!status) claim_.wrong = status.error();
    return std::move(claim_);
  }

 private:
  // Both sides in one state each, and how they came there.
  struct Pair {
    StateId own;
    StateId theirs;
    std::size_t before;  // the pair
    std::size_t trial;   // by which it was left
  };
  static constexpr std::size_t kBeginning = ~std::size_t{0};

  [[nodiscard]] Error cannot(const std::string& why) const {
    return Error{
        fmt::format("the model '{}' cannot be said to behave as a {}: {}", model_.name(), family_, why)};
  }

  Status prepare() {
    claim_.built_in = model_of(model_.claim()->family());
    if (claim_.built_in == nullptr) return cannot("there is no such family");
    auto matched = match_roles(model_, *claim_.built_in);
    if (!matched) return matched.error();
    claim_.operation_of = std::move(*matched);
    claim_.always.resize(claim_.operation_of.size());
    claim_.has_outside =
        std::ranges::find(claim_.operation_of, TestedClaim::kOutside) != claim_.operation_of.end();
    const auto chosen = TestValues(values_).that_fit(model_, *claim_.built_in, claim_.operation_of, values_);
    if (!chosen) return cannot("its operations take no values of a kind that it could be tested with");
    make_trials(*chosen);
    auto own = model_.states(values_, kNull);
    if (!own) return cannot("it cannot be tested: " + own.error().message);
    own_ = std::move(*own);
    if (auto status = find_initial(); !status) return status;
    auto theirs = claim_.built_in->states(values_, claim_.initial);
    if (!theirs) return cannot(theirs.error().message);
    theirs_ = std::move(*theirs);
    return Ok{};
  }

  // Every operation with all combinations of the values, by two processes where it matters who calls.
  void make_trials(std::span<const Value> chosen) {
    const bool several = model_.depends_on_process() || claim_.built_in->depends_on_process();
    for (std::uint32_t i = 0; i < claim_.operation_of.size(); ++i) {
      if (claim_.operation_of[i] == TestedClaim::kOutside) continue;
      const std::size_t arity = model_.operations()[i].takes.size();
      const std::size_t values = arity > 1 ? 2 : kMostValues;
      std::size_t combinations = 1;
      for (std::size_t k = 0; k < arity; ++k) combinations *= values;
      for (std::size_t c = 0; c < combinations * (several ? 2 : 1); ++c) {
        Trial trial{i, claim_.operation_of[i], Value::small(static_cast<std::int64_t>(c / combinations)), {}};
        for (std::size_t k = 0, rest = c; k < arity; ++k, rest /= values)
          trial.args.push_back(chosen[rest % values]);
        trials_.push_back(std::move(trial));
      }
    }
  }

  // Of what is read as a whole: what is read at first. Everything else begins empty.
  Status find_initial() {
    const Family family = claim_.built_in->family();
    if (family != Family::kRegister && family != Family::kCounter) return Ok{};
    const auto read = std::ranges::find_if(trials_, [&](const Trial& trial) {
      return claim_.built_in->operations()[trial.theirs].role == Role::kRead;
    });
    if (read == trials_.end()) return Ok{};
    const auto found = own_->results(own_->initial(), read->on_own());
    if (found.size() != 1) return cannot(fmt::format("its '{}' can have several results", name(*read)));
    if (!needs_no_table(found[0])) {
      return cannot(fmt::format("it begins with {}; expected null, true, false or an integer",
                                own_->values().to_json(found[0])));
    }
    claim_.initial = found[0];
    return Ok{};
  }

  // Breadth first: what is told is a shortest sequence.
  Status compare_all() {
    pairs_ = {{own_->initial(), theirs_->initial(), kBeginning, 0}};
    absl::flat_hash_set<std::pair<StateId, StateId>> met = {{pairs_[0].own, pairs_[0].theirs}};
    for (std::size_t at = 0; at < pairs_.size() && at < kMostPairs; ++at) {
      for (std::size_t t = 0; t < trials_.size(); ++t) {
        Pair next{pairs_[at].own, pairs_[at].theirs, at, t};
        auto happens = step_both(next, trials_[t], [&] { return path(at); });
        if (!happens) return happens.error();
        if (*happens && met.emplace(next.own, next.theirs).second) pairs_.push_back(next);
      }
    }
    return Ok{};
  }

  // First more goes in than comes out, then the other way round.
  Status compare_long_run() {
    Rng rng(1);
    Pair now{own_->initial(), theirs_->initial(), kBeginning, 0};
    std::vector<std::size_t> done;
    const auto told = [&] { return told_briefly(done); };
    for (std::size_t i = 0; i < kLongRun; ++i) {
      std::size_t t = rng.below(trials_.size());
      const bool fills = !trials_[t].args.empty();
      if (fills != (i < kLongRun / 2)) t = rng.below(trials_.size());
      const auto happens = step_both(now, trials_[t], told);
      if (!happens) return happens.error();
      if (*happens) done.push_back(t);
    }
    return Ok{};
  }

  // Both take the step; false if it cannot happen in either. `told`: what happened before.
  template <class Told>
  Result<bool> step_both(Pair& now, const Trial& trial, const Told& told) {
    const auto own = own_->results(now.own, trial.on_own());
    const auto theirs = theirs_->results(now.theirs, trial.on_theirs());
    if (own.empty() && theirs.empty()) return false;
    if (own.size() != 1 || theirs.size() != 1 || !are_same(trial, own[0], theirs[0])) {
      return Error{fmt::format("the model '{}' does not behave as a {}: {} '{}' {}, that of a {} {}",
                               model_.name(), family_, told(), shown(trial), shown(own, own_->values()),
                               family_, shown(theirs, theirs_->values()))};
    }
    next_.clear();
    own_->step(now.own, trial.on_own(), own[0], next_);
    if (next_.size() != 1) return cannot(fmt::format("its '{}' can lead to several states", name(trial)));
    now.own = next_[0];
    next_.clear();
    theirs_->step(now.theirs, trial.on_theirs(), theirs[0], next_);
    now.theirs = next_[0];
    return true;
  }

  bool are_same(const Trial& trial, Value own, Value theirs) {
    if (claim_.built_in->operations()[trial.theirs].returns != Returns::kNothing) {
      return own == theirs || (!needs_no_table(own) && !needs_no_table(theirs) &&
                               own_->values().to_json(own) == theirs_->values().to_json(theirs));
    }
    if (model_.operations()[trial.own].returns == Returns::kNothing) return true;
    std::optional<Value>& always = claim_.always[trial.own];
    if (!always && needs_no_table(own)) always = own;
    return always == own;
  }

  [[nodiscard]] const std::string& name(const Trial& trial) const {
    return model_.operations()[trial.own].name;
  }
  [[nodiscard]] std::string shown(const Trial& trial) const {
    std::string out = name(trial);
    for (std::size_t i = 0; i < trial.args.size(); ++i)
      out += (i == 0 ? "(" : ", ") + values_.to_json(trial.args[i]);
    if (!trial.args.empty()) out += ")";
    if (model_.depends_on_process() || claim_.built_in->depends_on_process())
      out += " by process " + values_.to_json(trial.process);
    return out;
  }
  static std::string shown(std::span<const Value> results, const Values& values) {
    if (results.empty()) return "cannot happen";
    std::string out;
    for (const Value result : results) out += (out.empty() ? "returns " : " or ") + values.to_json(result);
    return out;
  }
  [[nodiscard]] std::string path(std::size_t at) const {
    std::vector<std::size_t> steps;
    for (; pairs_[at].before != kBeginning; at = pairs_[at].before) steps.push_back(pairs_[at].trial);
    std::ranges::reverse(steps);
    return steps.empty() ? "at first" : "after " + listed(steps);
  }
  [[nodiscard]] std::string told_briefly(std::span<const std::size_t> steps) const {
    constexpr std::size_t kFew = 3;
    return fmt::format("after {} operations ({}, …)", steps.size(),
                       listed(steps.first(std::min(kFew, steps.size()))));
  }
  [[nodiscard]] std::string listed(std::span<const std::size_t> steps) const {
    std::string out;
    for (const std::size_t step : steps) out += (out.empty() ? "" : ", ") + shown(trials_[step]);
    return out;
  }

  const Model& model_;
  std::string_view family_;
  TestedClaim claim_;
  Values values_;
  std::vector<Trial> trials_;
  std::unique_ptr<States> own_;
  std::unique_ptr<States> theirs_;
  std::vector<Pair> pairs_;
  std::vector<StateId> next_;
};

// A history that names an initial value: an empty array is what a collection begins with anyway (in Java, a
// constructor without arguments).
bool begins_as_tested(const History& history, Family family) {
  const Value initial = history.initial();
  if (initial.is_null()) return true;
  const bool is_single = family == Family::kRegister || family == Family::kCounter ||
                         family == Family::kMutex || family == Family::kSemaphore;
  return !is_single && history.values().kind(initial) == ValueKind::kArray &&
         history.values().as_array(initial).empty();
}

}  // namespace

bool TestedClaim::covers_arguments(const Model& model, const Call& call, const Values& values) const {
  const OperationSpec& spec = built_in->operations()[operation_of[call.operation]];
  for (std::size_t i = 0; i < call.args.size(); ++i) {
    const Value arg = call.args[i];
    if (arg.is_null())
      return false;  // it was tested without: Java's classes throw, others take it for a value like any other
    if (arg.is_small()) continue;
    if (spec.takes[i] == Takes::kInteger && values.kind(arg) != ValueKind::kInteger) return false;
    if (!model.is_plain(arg, values)) return false;
  }
  return true;
}

bool TestedClaim::covers_result(const Model& model, std::uint32_t operation, Value result,
                                const Values& values) const {
  switch (built_in->operations()[operation_of[operation]].returns) {
    case Returns::kNothing:
      return !always[operation] || *always[operation] == result;
    case Returns::kBool:
      return result.is_bool();
    case Returns::kInteger:
      return values.kind(result) == ValueKind::kInteger;
    case Returns::kString:
      return values.kind(result) == ValueKind::kString;
    case Returns::kAny:
      return result.is_small() || model.is_plain(result, values);
  }
  return false;
}

std::string TestedClaim::leaves_family(const BoundHistory& history) const {
  const History& h = history.history();
  const std::string_view family = to_string(built_in->family());
  if (!begins_as_tested(h, built_in->family())) return "it has an initial value of its own";
  for (OperationId id = 0; id < h.size(); ++id) {
    const std::uint32_t operation = history.operation(id);
    if (operation_of[operation] == kOutside)
      return fmt::format("'{}' is not an operation of a {}", h.function_name(id), family);
    const bool covered =
        covers_arguments(history.model(), history.call(id), h.values()) &&
        (h.is_pending(id) || covers_result(history.model(), operation, *history.result(id), h.values()));
    if (!covered) return fmt::format("a {} knows no {}", family, h.describe(id));
  }
  return {};
}

const TestedClaim& tested_claim(const Model& model) {
  return model.claim()->tested([&] { return std::make_shared<const TestedClaim>(ClaimTest(model).run()); });
}

}  // namespace plumb
