// The general search as an engine: lays out the part, searches, and explains where it could not go on.
#include <algorithm>

#include "check/part.hpp"
#include "check/search/wgl_layout.hpp"
#include "check/search/wgl_search.hpp"

namespace plumb {
namespace {

// The first return that no order passes. A search that looks ahead gives up before it gets there: then the
// shortest part that cannot be explained is looked for, by longer and longer steps and then by halves. Where the limits end
// a try, what is known stands: a return that is certain not to be passed, and perhaps not the first.
template <std::size_t kWords>
std::uint32_t first_impossible(const Layout& layout, States& states, const SearchLimits& limits,
                               std::uint32_t passed) {
  if (layout.next_read.empty() && layout.lookahead.empty()) return passed;
  const auto up_to = [&](std::uint32_t ret) {
    return Search<kWords>(layout, states, limits).search(ret + 1);
  };
  auto high = static_cast<std::uint32_t>(layout.returning.size() - 1);
  std::uint32_t low = passed;
  for (std::uint32_t step = 1; low + step < high; step *= 2) {
    const Outcome outcome = up_to(low + step - 1);
    if (outcome == Outcome::kUnknown) return high;
    if (outcome == Outcome::kViolation) {
      high = low + step - 1;
      break;
    }
    low += step;
  }
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    const Outcome outcome = up_to(middle);
    if (outcome == Outcome::kUnknown) return high;
    if (outcome == Outcome::kViolation) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

// Where a search may begin: by default nowhere in particular.
template <std::size_t kWords>
using From = std::optional<typename Search<kWords>::Beginning>;

// A place through which all orders pass before the operation of this return is called: what it returns has no influence so far.
// Models that look ahead might make use of it all the same.
template <std::size_t kWords>
From<kWords> last_before_call(const Layout& layout, const Search<kWords>& search, std::uint32_t ret) {
  if (!layout.next_read.empty() || !layout.lookahead.empty()) return std::nullopt;
  const auto called = std::ranges::find(layout.completed, layout.returning[ret]) - layout.completed.begin();
  const auto open_at = std::ranges::upper_bound(layout.calls_until, static_cast<std::uint32_t>(called));
  const auto first = static_cast<std::uint32_t>(open_at - layout.calls_until.begin());
  return first == 0 ? std::nullopt : search.narrow_until(first - 1);
}

// Results that the stuck operation could have returned. Which results there are to try: those it would have
// had in the states that the others lead to without it. Whether one explains the return: search again with
// it. The layout is changed on the way.
template <std::size_t kWords>
void find_allowed(Layout& layout, States& states, const SearchLimits& limits, std::uint32_t ret,
                  const From<kWords>& from, DeadEnd& stuck) {
  constexpr std::size_t kMostResults = 16;
  constexpr std::size_t kMostStates = 4;
  const std::uint32_t number = layout.returning[ret];
  Layout::Operation& operation = layout.operations[number];
  layout.apart = number;
  std::vector<Value> candidates;
  const auto look_ahead = [&](Value result) {
    if (!layout.lookahead.empty()) layout.lookahead[number].result = result;
  };
  look_ahead(kNull);  // tells a model that looks ahead nothing
  {
    Search<kWords> without(layout, states, limits, number);
    if (from) without.begin_at(*from);
    stuck.allowed_complete = without.search(ret + 1) == Outcome::kViolation && without.saw_all_states();
    for (const StateId state : without.states_without()) {
      for (const Value result : states.results(state, operation.call)) candidates.push_back(result);
    }
    for (const StateId state : without.last_states()) {
      std::string text = states.describe(state);
      if (stuck.states.size() < kMostStates && std::ranges::find(stuck.states, text) == stuck.states.end()) {
        stuck.states.push_back(std::move(text));
      }
    }
  }
  std::ranges::sort(candidates, [&](Value a, Value b) { return states.values().compare(a, b) < 0; });
  candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
  for (const Value result : candidates) {
    if (stuck.allowed.size() == kMostResults) {
      stuck.allowed_complete = false;
      return;
    }
    operation.result = result;
    look_ahead(result);
    operation.leaves_state = leaves_state(operation.effect, result);
    Search<kWords> with(layout, states, limits);
    if (from) with.begin_at(*from);
    const Outcome outcome = with.search(ret + 1);
    if (outcome == Outcome::kHolds) stuck.allowed.push_back(states.values().to_json(result));
    if (outcome == Outcome::kUnknown) stuck.allowed_complete = false;
  }
}

template <std::size_t kWords>
void explain(Layout& layout, States& states, const SearchLimits& limits, std::uint32_t ret, DeadEnd& stuck) {
  Search<kWords> before(layout, states, limits);
  if (before.search(ret) == Outcome::kHolds) stuck.prefix = before.linearization();
  find_allowed<kWords>(layout, states, limits, ret, {}, stuck);
}

template <std::size_t kWords>
PartVerdict decide(Layout& layout, States& states, const SearchLimits& limits) {
  Search<kWords> search(layout, states, limits);
  PartVerdict verdict;
  verdict.outcome = search.search(static_cast<std::uint32_t>(layout.returning.size()));
  verdict.spent = search.spent();
  verdict.configurations = search.configurations();
  if (verdict.outcome == Outcome::kUnknown) verdict.reached = search.reached();
  if (verdict.outcome == Outcome::kHolds) verdict.linearization = search.linearization();
  if (verdict.outcome == Outcome::kViolation) {
    SearchLimits same_again = limits;
    same_again.watch = nullptr;
    same_again.configurations = std::max<std::uint64_t>(2 * verdict.configurations, 100'000);
    const std::uint32_t ret = first_impossible<kWords>(layout, states, same_again, search.furthest());
    verdict.stuck.operation = layout.operations[layout.returning[ret]].id;
    verdict.stuck.returned_before = ret;
    if (ret != search.furthest()) {
      explain<kWords>(layout, states, same_again, ret, verdict.stuck);
    } else {
      verdict.stuck.prefix = search.reached().order;
      find_allowed<kWords>(layout, states, same_again, ret, last_before_call(layout, search, ret),
                           verdict.stuck);
    }
  }
  return verdict;
}

}  // namespace

PartVerdict search_wgl(const Part& part, States& states, const SearchLimits& limits) {
  Layout layout(part);
  return layout.slots <= 64 ? decide<1>(layout, states, limits) : decide<0>(layout, states, limits);
}

void explain_dead_end(const Part& part, States& states, const SearchLimits& limits, DeadEnd& stuck) {
  Layout layout(part);
  const auto at = std::ranges::find_if(layout.returning, [&](std::uint32_t number) {
    return layout.operations[number].id == stuck.operation;
  });
  const auto ret = static_cast<std::uint32_t>(at - layout.returning.begin());
  stuck.returned_before = ret;
  return layout.slots <= 64 ? explain<1>(layout, states, limits, ret, stuck)
                            : explain<0>(layout, states, limits, ret, stuck);
}

}  // namespace plumb
