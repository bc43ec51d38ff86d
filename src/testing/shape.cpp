#include "testing/shape.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/rng.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kMostEnumerated = 20'000;  // more would take a while before anything is run

using Calls = std::vector<InvocationId>;

std::vector<InvocationId> listed_invocations(const TestCase& test) {
  std::vector<InvocationId> listed;
  for (std::size_t i = 0; i < test.invocations().size(); ++i) {
    if (test.invocations()[i].listed) listed.push_back(static_cast<InvocationId>(i));
  }
  return listed;
}

// How many multisets of so many members there are; nothing: more than are enumerated.
std::optional<std::size_t> multisets(std::size_t kinds, std::size_t members) {
  std::size_t count = 1;
  for (std::size_t i = 0; i < members; ++i) {
    count = count * (kinds + i) / (i + 1);
    if (count > kMostEnumerated) return std::nullopt;
  }
  return count;
}

// All that one thread may call, of this length.
std::vector<Calls> sequences(const Calls& listed, std::size_t length) {
  std::vector<Calls> all{{}};
  for (std::size_t i = 0; i < length; ++i) {
    std::vector<Calls> longer;
    for (const Calls& calls : all) {
      for (const InvocationId call : listed) {
        longer.push_back(calls);
        longer.back().push_back(call);
      }
    }
    all = std::move(longer);
  }
  return all;
}

// Operations of one group are called by one thread.
bool keeps_groups(const std::vector<Calls>& threads, const TestCase& test) {
  std::map<std::string, std::size_t> owners;
  for (std::size_t thread = 0; thread < threads.size(); ++thread) {
    for (const InvocationId call : threads[thread]) {
      const std::string& group = test.operations()[test.invocations()[call].operation].group;
      if (!group.empty() && owners.emplace(group, thread).first->second != thread) return false;
    }
  }
  return true;
}

// Nothing: there are too many to look at each.
std::optional<std::vector<Scenario>> enumerate(const TestCase& test, Shape shape) {
  const Calls listed = listed_invocations(test);
  std::size_t each = 1;
  for (std::size_t i = 0; i < shape.operations; ++i) {
    each *= listed.size();
    if (each > kMostEnumerated) return std::nullopt;
  }
  if (!multisets(each, shape.threads)) return std::nullopt;
  const std::vector<Calls> calls = sequences(listed, shape.operations);
  std::vector<Scenario> all;
  std::set<std::string> known;
  std::vector<std::size_t> digits(shape.threads, 0);  // never falling: the names of threads do not matter
  while (!calls.empty()) {
    Scenario scenario;
    scenario.before.assign(test.invocations_before().begin(), test.invocations_before().end());
    scenario.after.assign(test.invocations_after().begin(), test.invocations_after().end());
    for (const std::size_t digit : digits) scenario.threads.push_back(calls[digit]);
    Scenario named = canonical(scenario, test);
    if (keeps_groups(named.threads, test) && well_formed(named, test) && known.insert(to_text(named)).second)
      all.push_back(std::move(named));
    std::size_t at = digits.size();
    while (at > 0 && digits[at - 1] + 1 == calls.size()) --at;
    if (at == 0) break;
    std::fill(digits.begin() + static_cast<std::ptrdiff_t>(at) - 1, digits.end(), digits[at - 1] + 1);
  }
  return all;
}

std::size_t variety(const Scenario& scenario, const TestCase& test) {
  return operation_pairs(scenario, test).size();
}

}  // namespace

std::string to_text(Shape shape) { return fmt::format("{}x{}", shape.threads, shape.operations); }

OfShape of_shape(const TestCase& test, Shape shape, std::size_t most, std::uint64_t seed) {
  OfShape result;
  auto all = enumerate(test, shape);
  if (!all) {
    result.scenarios = sample(
        test, {.threads = shape.threads, .operations = shape.operations, .samples = most, .seed = seed});
    return result;
  }
  result.existing = all->size();
  result.scenarios = std::move(*all);
  if (result.scenarios.size() <= most) return result;
  Rng random(seed);
  for (std::size_t i = 0; i < most; ++i)
    std::swap(result.scenarios[i], result.scenarios[i + random.below(result.scenarios.size() - i)]);
  result.scenarios.resize(most);
  return result;
}

void sort_by_variety(std::vector<Scenario>& scenarios, const TestCase& test) {
  std::vector<std::pair<std::size_t, std::size_t>> keys;  // variety, place
  keys.reserve(scenarios.size());
  for (std::size_t i = 0; i < scenarios.size(); ++i) keys.emplace_back(variety(scenarios[i], test), i);
  std::ranges::stable_sort(keys, [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<Scenario> sorted;
  sorted.reserve(scenarios.size());
  for (const auto& [_, place] : keys) sorted.push_back(std::move(scenarios[place]));
  scenarios = std::move(sorted);
}

std::vector<OperationPair> operation_pairs(const Scenario& scenario, const TestCase& test) {
  std::set<OperationPair> pairs;
  const auto operation = [&](InvocationId call) {
    return static_cast<std::uint16_t>(test.invocations()[call].operation);
  };
  for (std::size_t a = 0; a < scenario.threads.size(); ++a) {
    for (std::size_t b = a + 1; b < scenario.threads.size(); ++b) {
      for (const InvocationId one : scenario.threads[a]) {
        for (const InvocationId other : scenario.threads[b])
          pairs.insert(std::minmax(operation(one), operation(other)));
      }
    }
  }
  return {pairs.begin(), pairs.end()};
}

}  // namespace plumb::testing
