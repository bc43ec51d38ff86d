// What the executions of a test have shown of its operations, so that a pass can be judged: which results each was seen to give, and which
// pairs were under way at the same time. Two operations overlap in an execution unless in all orders of its independent steps one has
// returned before the other is called: where a lock, or a single step, keeps them apart, they take turns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "explore/observer.hpp"
#include "plumb/test.hpp"
#include "testing/observed_history.hpp"
#include "testing/scenario.hpp"
#include "testing/shape.hpp"

namespace plumb::testing {

// Texts of results in the order of a table: null, false and true, then what is shorter, so that 2 comes before 10.
struct ByKindAndLength {
  bool operator()(const std::string& one, const std::string& other) const;
};

// Of one operation of the test, as it was called in threads.
struct SeenResults {
  static constexpr std::size_t kMost = 12;            // texts are kept
  std::set<std::string, ByKindAndLength> texts = {};  // the first of all in their order
  bool are_more = false;                              // than are kept
  bool succeeded = false;  // gave something else than the result that says that it failed, and did not throw
  bool failed = false;
  bool threw = false;
  bool waited = false;  // was still waiting when nothing else was left to run

  void add(std::string text);
  void add(const SeenResults& other);
};

// By the number of the operation. Of one scenario, or, added up, of many.
struct CoverageNotes {
  std::map<std::uint16_t, SeenResults> results = {};
  std::set<OperationPair> beside = {};  // that different threads of a scenario have called
  std::set<OperationPair> overlapped = {};
  bool destroyed = false;  // the object, by the operation that ends its life
  // Of operations that are claimed to synchronise: the first was given what the second returned.
  bool judged_claims = false;
  std::set<OperationPair> handed_over = {};

  void add(const CoverageNotes& other);
  void add_claims(const CoverageNotes& other);  // these only
};

// Is told of the executions of one scenario; those that are told before change nothing.
class CoverageCensus {
 public:
  CoverageCensus(const TestCase& test, const Scenario& scenario, const Layout& layout)
      : test_(test), scenario_(scenario), layout_(layout) {}

  // With what comes before what in every order of its steps; under a weak memory model, in the execution graph.
  void note(const ObservedHistory& observed, std::span<const engine::HappensBefore> happens_before);
  void note(const ObservedHistory& observed, std::span<const engine::ClientRelations> relations);
  // While an operation returns, these are open, itself included.
  void note_return(std::uint64_t open, std::size_t call, Value result);
  void note_waiting(std::uint64_t open) { waited_ |= open; }
  // An execution was asked about the claims; and one call returned what another was given, of which that is claimed.
  void note_claims() { judged_claims_ = true; }
  void note_hand_over(std::size_t giver, std::size_t taker) {
    handed_over_.emplace(operation(giver), operation(taker));
  }

  // What another process has noted.
  void add(const CoverageNotes& others) { others_.add(others); }

  [[nodiscard]] CoverageNotes notes() const;

 private:
  void note_results(const ObservedHistory& observed);
  template <class ComesBefore>
  void note_overlaps(const ObservedHistory& observed, ComesBefore comes_before);
  void describe(std::size_t call, Value result, SeenResults& seen) const;
  [[nodiscard]] bool is_in_thread(std::size_t call) const {
    return layout_.process(call) != 0 && layout_.process(call) + 1 != layout_.processes();
  }
  [[nodiscard]] std::uint16_t operation(std::size_t call) const {
    return static_cast<std::uint16_t>(test_.invocations()[layout_.invocation(call)].operation);
  }

  const TestCase& test_;
  const Scenario& scenario_;
  const Layout& layout_;
  absl::flat_hash_set<std::uint64_t> results_;                 // a call, and its result
  std::array<std::uint64_t, kMaxOperations> overlapped_ = {};  // by call: others, as bits
  std::uint64_t waited_ = 0;
  bool is_any_ = false;
  bool judged_claims_ = false;
  std::set<OperationPair> handed_over_;
  CoverageNotes others_;
};

// For the result of a test.
[[nodiscard]] Coverage coverage_of(const TestCase& test, const CoverageNotes& notes);
// What is suspicious in a run that has found nothing, a sentence for each.
[[nodiscard]] std::vector<std::string> warnings_about(const Coverage& coverage);
// As a table.
[[nodiscard]] std::string coverage_text(const Coverage& coverage);
// A line for each warning.
[[nodiscard]] std::string warnings_text(const Coverage& coverage);

}  // namespace plumb::testing
