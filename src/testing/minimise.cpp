#include "testing/minimise.hpp"

#include <algorithm>

namespace plumb::testing {
namespace {

// Everything that is one thing less, the largest steps first.
std::vector<Scenario> smaller(const Scenario& scenario, const TestCase& test) {
  std::vector<Scenario> all;
  const auto add = [&](Scenario candidate) {
    std::erase_if(candidate.threads, [](const auto& thread) { return thread.empty(); });
    if (!candidate.threads.empty()) all.push_back(std::move(candidate));
  };
  for (std::size_t thread = 0; thread < scenario.threads.size(); ++thread) {
    Scenario candidate = scenario;
    candidate.threads[thread].clear();
    add(std::move(candidate));
  }
  const auto drop_each = [&](auto select) {
    for (std::size_t i = 0; i < select(scenario).size(); ++i) {
      Scenario candidate = scenario;
      auto& calls = select(candidate);
      calls.erase(calls.begin() + static_cast<std::ptrdiff_t>(i));
      add(std::move(candidate));
    }
  };
  for (std::size_t thread = 0; thread < scenario.threads.size(); ++thread) {
    drop_each([thread](auto& from) -> auto& { return from.threads[thread]; });
  }
  drop_each([](auto& from) -> auto& { return from.before; });
  drop_each([](auto& from) -> auto& { return from.after; });
  // Of a relaxed test pairs go together: what is left stays well-formed.
  if (!test.relaxed().empty()) {
    for (const Scenario& one_less : std::vector<Scenario>(all)) {
      for (std::size_t thread = 0; thread < one_less.threads.size(); ++thread) {
        for (std::size_t i = 0; i < one_less.threads[thread].size(); ++i) {
          Scenario candidate = one_less;
          candidate.threads[thread].erase(candidate.threads[thread].begin() + static_cast<std::ptrdiff_t>(i));
          add(std::move(candidate));
        }
      }
    }
    if (well_formed(scenario, test))
      std::erase_if(all, [&](const Scenario& each) { return !well_formed(each, test); });
  }
  if (Scenario renamed = canonical(scenario, test); renamed != scenario) add(std::move(renamed));
  return all;
}

}  // namespace

Scenario minimise(Scenario failing, const TestCase& test, const StillFails& still_fails) {
  for (bool shrunk = true; shrunk;) {
    shrunk = false;
    for (Scenario& candidate : smaller(failing, test)) {
      if (!still_fails(candidate)) continue;
      failing = std::move(candidate);
      shrunk = true;
      break;
    }
  }
  return failing;
}

}  // namespace plumb::testing
