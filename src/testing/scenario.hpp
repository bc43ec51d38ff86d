// A scenario: what is called before the threads run, what each thread calls, and what is called after them. In the
// words of Line-Up, a test matrix with initial and final sequences.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "plumb/detail/test_case.hpp"
#include "plumb/result.hpp"

namespace plumb::testing {

using InvocationId = std::uint16_t;  // index into TestCase::invocations()

struct Scenario {
  std::vector<InvocationId> before;
  std::vector<std::vector<InvocationId>> threads;
  std::vector<InvocationId> after;

  [[nodiscard]] std::size_t size() const;  // operations
  friend bool operator==(const Scenario&, const Scenario&) = default;
};

// Its operations have numbers: first those before, then thread by thread, then those after. The calls before and after
// belong to processes of their own: 0, and the one behind the last thread.
class Layout {
 public:
  explicit Layout(const Scenario& scenario);
  [[nodiscard]] std::size_t processes() const { return first_.size() - 1; }
  [[nodiscard]] std::size_t size() const { return process_.size(); }
  [[nodiscard]] std::size_t first(std::size_t process) const { return first_[process]; }
  [[nodiscard]] std::size_t count(std::size_t process) const { return first_[process + 1] - first_[process]; }
  [[nodiscard]] std::size_t process(std::size_t operation) const { return process_[operation]; }
  [[nodiscard]] InvocationId invocation(std::size_t operation) const { return invocation_[operation]; }

 private:
  std::vector<std::size_t> first_;
  std::vector<std::size_t> process_;
  std::vector<InvocationId> invocation_;
};

constexpr std::size_t kMaxOperations = 64;  // of a scenario: sets of them are words
constexpr std::size_t kMaxTestThreads = 12;

// "1.0-2_0/1_2", for replay tokens: before, threads, after.
[[nodiscard]] std::string to_text(const Scenario& scenario);
// "[push(1), pop()] [pop()]", for sentences.
[[nodiscard]] std::string described(const Scenario& scenario, const TestCase& test);
[[nodiscard]] Result<Scenario> parse_scenario(std::string_view text, const TestCase& test);

// The same scenario up to the names of threads, and of values where only their order is kept: the smallest of them all.
[[nodiscard]] Scenario canonical(const Scenario& scenario, const TestCase& test);

// A relaxed structure shows what it does where as much is taken out as was put in (Round-Up, section VI): as many calls of
// relaxed operations as of others, up to one where the number is odd. Always, where nothing is relaxed.
[[nodiscard]] bool well_formed(const Scenario& scenario, const TestCase& test);

// An operation that ends the object's life is called at most once, as the last of its thread.
[[nodiscard]] bool ends_life_once(const Scenario& scenario, const TestCase& test);

// Those that the test itself names. An error: one is too large.
[[nodiscard]] Result<std::vector<Scenario>> given_scenarios(const TestCase& test);

// Which scenarios to run.
struct Sizes {
  std::size_t threads = 3;
  std::size_t operations = 3;
  std::size_t samples = 100;
  std::uint64_t seed = 1;
};
// RandomCheck: a sample, without repetitions; all there are when there are no more than that.
[[nodiscard]] std::vector<Scenario> sample(const TestCase& test, const Sizes& sizes);
// AutoCheck: all scenarios of n threads with n operations each over the first n invocations.
[[nodiscard]] std::vector<Scenario> all_of(const TestCase& test, std::size_t n);

}  // namespace plumb::testing
