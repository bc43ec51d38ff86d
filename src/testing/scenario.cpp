#include "testing/scenario.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/rng.hpp"

namespace plumb::testing {
namespace {

// "0.3.1"; nothing for no calls.
std::string calls_text(const std::vector<InvocationId>& calls) {
  return fmt::format("{}", fmt::join(calls, "."));
}

}  // namespace

std::size_t Scenario::size() const {
  return std::accumulate(threads.begin(), threads.end(), before.size() + after.size(),
                         [](std::size_t sum, const auto& thread) { return sum + thread.size(); });
}

Layout::Layout(const Scenario& scenario) {
  const auto add = [&](const std::vector<InvocationId>& calls) {
    const std::size_t process = first_.size();
    first_.push_back(process_.size());
    process_.insert(process_.end(), calls.size(), process);
    invocation_.insert(invocation_.end(), calls.begin(), calls.end());
  };
  add(scenario.before);
  for (const auto& thread : scenario.threads) add(thread);
  add(scenario.after);
  first_.push_back(process_.size());
}

std::string to_text(const Scenario& scenario) {
  std::vector<std::string> threads;
  for (const auto& thread : scenario.threads) threads.push_back(calls_text(thread));
  return fmt::format("{}/{}/{}", calls_text(scenario.before), fmt::join(threads, "_"),
                     calls_text(scenario.after));
}

std::string described(const Scenario& scenario, const TestCase& test) {
  std::vector<std::string> threads;
  for (const auto& calls : scenario.threads) {
    std::vector<std::string> labels;
    labels.reserve(calls.size());
    for (const InvocationId call : calls) labels.push_back(test.label(call));
    threads.push_back(fmt::format("[{}]", fmt::join(labels, ", ")));
  }
  return fmt::format("{}", fmt::join(threads, " "));
}

Result<Scenario> parse_scenario(std::string_view text, const TestCase& test) {
  const Error wrong{fmt::format("\"{}\" is not a scenario of the test {}", text, test.name())};
  const auto parse_calls = [&](std::string_view part, std::vector<InvocationId>& calls) {
    while (!part.empty()) {
      InvocationId id = 0;
      const auto read = std::from_chars(part.data(), part.data() + part.size(), id);
      if (read.ec != std::errc{} || id >= test.invocations().size()) return false;
      part.remove_prefix(static_cast<std::size_t>(read.ptr - part.data()));
      calls.push_back(id);
      if (part.empty()) return true;
      if (part.front() != '.') return false;
      part.remove_prefix(1);
    }
    return true;
  };
  const std::size_t first = text.find('/');
  const std::size_t second = first == std::string_view::npos ? first : text.find('/', first + 1);
  if (second == std::string_view::npos) return wrong;
  Scenario scenario;
  if (!parse_calls(text.substr(0, first), scenario.before)) return wrong;
  if (!parse_calls(text.substr(second + 1), scenario.after)) return wrong;
  std::string_view threads = text.substr(first + 1, second - first - 1);
  for (bool more = true; more;) {
    const std::size_t end = threads.find('_');
    if (!parse_calls(threads.substr(0, end), scenario.threads.emplace_back())) return wrong;
    more = end != std::string_view::npos;
    if (more) threads.remove_prefix(end + 1);
  }
  if (scenario.size() > kMaxOperations || scenario.threads.size() > kMaxTestThreads) return wrong;
  return scenario;
}

namespace {

// New names for the values that a scenario uses: the smallest ones there are, in the same order. Which is smaller than
// which may matter (a priority queue), so the order stays. Only where every operation takes at most one argument:
// elsewhere arguments may hang together.
class Renaming {
 public:
  Renaming(const Scenario& scenario, const TestCase& test) : test_(test) {
    const auto& invocations = test.invocations();
    if (std::any_of(invocations.begin(), invocations.end(),
                    [](const auto& each) { return each.args.size() > 1; }))
      return;
    const auto less = [&](Value a, Value b) { return test.values().compare(a, b) < 0; };
    std::set<Value, decltype(less)> used(less);
    std::set<Value, decltype(less)> known(less);
    const auto use = [&](const std::vector<InvocationId>& calls) {
      for (const InvocationId call : calls)
        used.insert(invocations[call].args.begin(), invocations[call].args.end());
    };
    use(scenario.before);
    for (const auto& thread : scenario.threads) use(thread);
    use(scenario.after);
    for (const auto& each : invocations) {
      if (each.listed) known.insert(each.args.begin(), each.args.end());
    }
    for (auto from = used.begin(), to = known.begin(); from != used.end() && to != known.end(); ++from, ++to)
      names_.emplace(from->bits(), *to);
  }

  // Nothing where the operation does not take the value that would be the new name.
  [[nodiscard]] std::optional<InvocationId> operator()(InvocationId call) const {
    const auto& invocations = test_.invocations();
    const auto& old = invocations[call];
    if (old.args.empty() || names_.empty()) return call;
    const auto name = names_.find(old.args.front().bits());
    if (name == names_.end()) return std::nullopt;
    for (std::size_t i = 0; i < invocations.size(); ++i) {
      if (invocations[i].operation == old.operation && invocations[i].args.front() == name->second)
        return static_cast<InvocationId>(i);
    }
    return std::nullopt;
  }

 private:
  const TestCase& test_;
  std::map<std::uint32_t, Value> names_;
};

}  // namespace

Scenario canonical(const Scenario& scenario, const TestCase& test) {
  const Renaming renaming(scenario, test);
  Scenario renamed = scenario;
  bool whole = true;
  const auto rename = [&](std::vector<InvocationId>& calls) {
    for (InvocationId& call : calls) {
      const auto name = renaming(call);
      whole = whole && name.has_value();
      call = name.value_or(call);
    }
  };
  rename(renamed.before);
  for (auto& thread : renamed.threads) rename(thread);
  rename(renamed.after);
  if (!whole) renamed = scenario;
  std::sort(renamed.threads.begin(), renamed.threads.end());
  return renamed;
}

namespace {

// Draws scenarios. Operations of one group are given to one thread: another thread that draws one draws again.
class Draw {
 public:
  Draw(const TestCase& test, std::uint64_t seed) : test_(test), random_(seed) {
    for (std::size_t i = 0; i < test.invocations().size(); ++i) {
      if (test.invocations()[i].listed) listed_.push_back(static_cast<InvocationId>(i));
    }
  }

  Scenario operator()(const Sizes& sizes) {
    Scenario scenario;
    scenario.before.assign(test_.invocations_before().begin(), test_.invocations_before().end());
    scenario.after.assign(test_.invocations_after().begin(), test_.invocations_after().end());
    std::map<std::string, std::size_t> owner;
    bool may_end = true;  // the object's life, which one thread does, at its end
    for (std::size_t thread = 0; thread < sizes.threads; ++thread) {
      auto& calls = scenario.threads.emplace_back();
      while (calls.size() < sizes.operations) {
        const auto call = pick(thread, owner, may_end && calls.size() + 1 == sizes.operations);
        if (!call) break;
        calls.push_back(*call);
        if (test_.operations()[test_.invocations()[*call].operation].destroys) may_end = false;
      }
    }
    std::erase_if(scenario.threads, [](const auto& thread) { return thread.empty(); });
    return scenario;
  }

 private:
  // Operations are equally likely, however many values they take.
  std::optional<InvocationId> pick(std::size_t thread, std::map<std::string, std::size_t>& owner,
                                   bool may_end) {
    std::vector<std::vector<InvocationId>> allowed(test_.operations().size());
    for (const InvocationId call : listed_) {
      const std::size_t operation = test_.invocations()[call].operation;
      if (test_.operations()[operation].destroys && !may_end) continue;
      const std::string& group = test_.operations()[operation].group;
      const auto owned = owner.find(group);
      if (group.empty() || owned == owner.end() || owned->second == thread)
        allowed[operation].push_back(call);
    }
    std::erase_if(allowed, [](const auto& calls) { return calls.empty(); });
    if (allowed.empty()) return std::nullopt;
    const auto& calls = allowed[random_.below(allowed.size())];
    const InvocationId call = calls[random_.below(calls.size())];
    const std::string& group = test_.operations()[test_.invocations()[call].operation].group;
    if (!group.empty()) owner.emplace(group, thread);
    return call;
  }

  const TestCase& test_;
  Rng random_;
  std::vector<InvocationId> listed_;
};

}  // namespace

bool ends_life_once(const Scenario& scenario, const TestCase& test) {
  std::size_t ends = 0;
  for (const auto& calls : scenario.threads) {
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!test.operations()[test.invocations()[calls[i]].operation].destroys) continue;
      if (++ends > 1 || i + 1 < calls.size()) return false;
    }
  }
  return true;
}

bool well_formed(const Scenario& scenario, const TestCase& test) {
  if (!ends_life_once(scenario, test)) return false;
  if (test.relaxed().empty()) return true;
  std::size_t relaxed = 0;
  std::size_t others = 0;
  const auto count = [&](const std::vector<InvocationId>& calls) {
    for (const InvocationId call : calls) {
      const std::string& name = test.operations()[test.invocations()[call].operation].name;
      const bool is_relaxed = std::any_of(test.relaxed().begin(), test.relaxed().end(),
                                          [&](const auto& each) { return each.first == name; });
      ++(is_relaxed ? relaxed : others);
    }
  };
  count(scenario.before);
  for (const auto& calls : scenario.threads) count(calls);
  count(scenario.after);
  return others == 0 || std::max(relaxed, others) - std::min(relaxed, others) <= scenario.size() % 2;
}

Result<std::vector<Scenario>> given_scenarios(const TestCase& test) {
  std::vector<Scenario> all;
  for (const auto& threads : test.scenarios()) {
    Scenario& scenario = all.emplace_back();
    scenario.before.assign(test.invocations_before().begin(), test.invocations_before().end());
    scenario.after.assign(test.invocations_after().begin(), test.invocations_after().end());
    for (const auto& calls : threads) scenario.threads.emplace_back(calls.begin(), calls.end());
    if (scenario.threads.size() > kMaxTestThreads || scenario.size() > kMaxOperations)
      return Error{fmt::format("a scenario has at most {} threads and {} operations", kMaxTestThreads,
                               kMaxOperations)};
    if (!ends_life_once(scenario, test))
      return Error{
          fmt::format("the scenario {} goes on after test.destroys_after(…): the operation that it names is "
                      "called once, as "
                      "the last call of its thread",
                      described(scenario, test))};
  }
  return all;
}

std::vector<Scenario> sample(const TestCase& test, const Sizes& sizes) {
  std::vector<Scenario> chosen;
  std::set<std::string> known;
  Draw draw(test, sizes.seed);
  // Where there are few scenarios the draws repeat: after so many in a row that were known, all are.
  std::size_t repeated = 0;
  const std::size_t enough = 1000 + 10 * sizes.samples;
  while (chosen.size() < sizes.samples && repeated < enough) {
    Scenario drawn = canonical(draw(sizes), test);
    if (well_formed(drawn, test) && known.insert(to_text(drawn)).second) {
      chosen.push_back(std::move(drawn));
      repeated = 0;
    } else {
      ++repeated;
    }
  }
  return chosen;
}

std::vector<Scenario> all_of(const TestCase& test, std::size_t n) {
  std::vector<InvocationId> listed;
  for (std::size_t i = 0; i < test.invocations().size() && listed.size() < n; ++i) {
    if (test.invocations()[i].listed) listed.push_back(static_cast<InvocationId>(i));
  }
  std::vector<Scenario> all;
  std::set<std::string> known;
  std::vector<std::size_t> digits(n * n, 0);
  for (;;) {
    Scenario scenario;
    scenario.before.assign(test.invocations_before().begin(), test.invocations_before().end());
    scenario.after.assign(test.invocations_after().begin(), test.invocations_after().end());
    std::map<std::string, std::set<std::size_t>> owners;
    for (std::size_t thread = 0; thread < n; ++thread) {
      auto& calls = scenario.threads.emplace_back();
      for (std::size_t i = 0; i < n; ++i) {
        calls.push_back(listed[digits[thread * n + i]]);
        const std::string& group = test.operations()[test.invocations()[calls.back()].operation].group;
        if (!group.empty()) owners[group].insert(thread);
      }
    }
    const bool fits =
        std::all_of(owners.begin(), owners.end(), [](const auto& each) { return each.second.size() == 1; });
    Scenario named = canonical(scenario, test);
    if (fits && ends_life_once(named, test) && known.insert(to_text(named)).second)
      all.push_back(std::move(named));
    std::size_t at = 0;
    while (at < digits.size() && ++digits[at] == listed.size()) digits[at++] = 0;
    if (at == digits.size()) return all;
  }
}

}  // namespace plumb::testing
