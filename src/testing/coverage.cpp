#include "testing/coverage.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>

namespace plumb::testing {
namespace {

constexpr std::uint64_t bit_of(std::size_t call) { return std::uint64_t{1} << call; }

}  // namespace

bool ByKindAndLength::operator()(const std::string& one, const std::string& other) const {
  const auto key = [](const std::string& text) {
    const bool is_word = text == "null" || text == "false" || text == "true";
    const bool is_negative = text.starts_with('-');
    return std::tuple(!is_word, is_word ? 0 : text.size(), is_negative, std::string_view(text));
  };
  return key(one) < key(other);
}

void SeenResults::add(std::string text) {
  texts.insert(std::move(text));
  if (texts.size() <= kMost) return;
  texts.erase(std::prev(texts.end()));
  are_more = true;
}

void SeenResults::add(const SeenResults& other) {
  for (const std::string& text : other.texts) add(text);
  are_more |= other.are_more;
  succeeded |= other.succeeded;
  failed |= other.failed;
  threw |= other.threw;
  waited |= other.waited;
}

void CoverageNotes::add(const CoverageNotes& other) {
  for (const auto& [operation, seen] : other.results) results[operation].add(seen);
  beside.insert(other.beside.begin(), other.beside.end());
  overlapped.insert(other.overlapped.begin(), other.overlapped.end());
  destroyed |= other.destroyed;
  add_claims(other);
}

void CoverageNotes::add_claims(const CoverageNotes& other) {
  judged_claims |= other.judged_claims;
  handed_over.insert(other.handed_over.begin(), other.handed_over.end());
}

void CoverageCensus::note(const ObservedHistory& observed,
                          std::span<const engine::HappensBefore> happens_before) {
  note_results(observed);
  note_overlaps(observed, [&](std::size_t first, std::size_t second) {
    return (happens_before[second].call.returns & bit_of(first)) != 0;
  });
}

void CoverageCensus::note(const ObservedHistory& observed,
                          std::span<const engine::ClientRelations> relations) {
  note_results(observed);
  note_overlaps(observed, [&](std::size_t first, std::size_t second) {
    return (relations[first].before & bit_of(second)) != 0;
  });
}

void CoverageCensus::note_results(const ObservedHistory& observed) {
  for (std::uint64_t left = observed.returned(); left != 0; left &= left - 1) {
    const auto call = static_cast<std::size_t>(std::countr_zero(left));
    results_.insert(std::uint64_t{call} << 32U | observed.result(call).bits());
  }
  waited_ |= observed.called() & ~observed.returned();
  is_any_ = true;
}

template <class ComesBefore>
void CoverageCensus::note_overlaps(const ObservedHistory& observed, ComesBefore comes_before) {
  for (std::uint64_t left = observed.called(); left != 0; left &= left - 1) {
    const auto call = static_cast<std::size_t>(std::countr_zero(left));
    for (std::uint64_t others = left & (left - 1) & ~overlapped_[call]; others != 0; others &= others - 1) {
      const auto other = static_cast<std::size_t>(std::countr_zero(others));
      if (!comes_before(call, other) && !comes_before(other, call)) overlapped_[call] |= bit_of(other);
    }
  }
}

void CoverageCensus::note_return(std::uint64_t open, std::size_t call, Value result) {
  results_.insert(std::uint64_t{call} << 32U | result.bits());
  for (std::uint64_t left = open; left != 0; left &= left - 1)
    overlapped_[static_cast<std::size_t>(std::countr_zero(left))] |= left & (left - 1);
  is_any_ = true;
}

void CoverageCensus::describe(std::size_t call, Value result, SeenResults& seen) const {
  const test::Operation& called = test_.operations()[operation(call)];
  const Values& values = test_.values();
  if (const auto what = test::what_was_thrown(result, values)) {
    seen.threw = true;
    seen.add("throws " + std::string(*what));
    return;
  }
  const bool has_failed = called.may_fail ? result == called.may_fail->result : result == called.failing;
  (has_failed ? seen.failed : seen.succeeded) = true;
  if (!called.returns_nothing) seen.add(values.to_json(result));
}

CoverageNotes CoverageCensus::notes() const {
  CoverageNotes notes = others_;
  notes.judged_claims |= judged_claims_;
  notes.handed_over.insert(handed_over_.begin(), handed_over_.end());
  if (!is_any_) return notes;
  for (const std::uint64_t each : results_) {
    const auto call = static_cast<std::size_t>(each >> 32U);
    if (is_in_thread(call))
      describe(call, Value::from_bits(static_cast<std::uint32_t>(each)), notes.results[operation(call)]);
  }
  for (std::size_t call = 0; call < layout_.size(); ++call) {
    if (!is_in_thread(call)) continue;
    if ((waited_ & bit_of(call)) != 0) notes.results[operation(call)].waited = true;
    for (std::size_t other = call + 1; other < layout_.size(); ++other) {
      if (is_in_thread(other) && layout_.process(call) != layout_.process(other) &&
          (overlapped_[call] & bit_of(other)) != 0)
        notes.overlapped.insert(std::minmax(operation(call), operation(other)));
    }
  }
  for (const OperationPair& pair : operation_pairs(scenario_, test_)) notes.beside.insert(pair);
  return notes;
}

namespace {

// The names of operations that make a pair of this set with the operation.
std::vector<std::string> partners(const TestCase& test, std::size_t operation,
                                  const std::set<OperationPair>& pairs) {
  std::vector<std::string> names;
  for (std::size_t other = 0; other < test.operations().size(); ++other) {
    if (pairs.contains(std::minmax(static_cast<std::uint16_t>(operation), static_cast<std::uint16_t>(other))))
      names.push_back(test.operations()[other].name);
  }
  return names;
}

// Operations of one group are never called by two threads.
std::set<OperationPair> never_beside(const TestCase& test, const CoverageNotes& notes) {
  std::set<OperationPair> pairs;
  const auto& operations = test.operations();
  for (std::size_t one = 0; one < operations.size(); ++one) {
    for (std::size_t other = one; other < operations.size(); ++other) {
      const bool is_kept_apart =
          (!operations[one].group.empty() && operations[one].group == operations[other].group) ||
          (one == other && operations[one].destroys);
      const OperationPair pair(static_cast<std::uint16_t>(one), static_cast<std::uint16_t>(other));
      if (!is_kept_apart && !notes.beside.contains(pair)) pairs.insert(pair);
    }
  }
  return pairs;
}

// Of what is claimed to synchronise, what nothing that was run could refute.
std::vector<std::string> vacuous_claims(const TestCase& test, const CoverageNotes& notes) {
  std::vector<std::string> warnings;
  for (const auto& claim : test.synchronises_claims()) {
    const bool is_met = std::ranges::any_of(notes.handed_over, [&](const OperationPair& pair) {
      return test.operations()[pair.first].name == claim.first &&
             test.operations()[pair.second].name == claim.second;
    });
    if (!is_met)
      warnings.push_back(
          fmt::format("the claim synchronises(\"{0}\", \"{1}\") was met by no execution: {1}() never "
                      "returned what one call of "
                      "{0}(), and nothing else, was given",
                      claim.first, claim.second));
  }
  if (test.claims_all_synchronise() && notes.handed_over.empty())
    warnings.emplace_back(
        "the claim synchronises_all() was met by no execution: no operation returned what one other call, "
        "and nothing "
        "else, was given");
  return warnings;
}

}  // namespace

Coverage coverage_of(const TestCase& test, const CoverageNotes& notes) {
  Coverage coverage;
  coverage.pairs = notes.beside.size();
  coverage.overlapped = notes.overlapped.size();
  std::set<OperationPair> turns;
  std::ranges::set_difference(notes.beside, notes.overlapped, std::inserter(turns, turns.end()));
  const std::set<OperationPair> apart = never_beside(test, notes);
  for (std::size_t i = 0; i < test.operations().size(); ++i) {
    const test::Operation& operation = test.operations()[i];
    OperationCoverage& covered = coverage.operations.emplace_back();
    covered.name = operation.name;
    covered.returns_nothing = operation.returns_nothing;
    covered.takes_arguments = operation.parameters > 0;
    covered.overlapped = partners(test, i, notes.overlapped);
    covered.took_turns = partners(test, i, turns);
    covered.apart = partners(test, i, apart);
    const auto known = notes.results.find(static_cast<std::uint16_t>(i));
    if (known == notes.results.end()) continue;
    const SeenResults& seen = known->second;
    covered.is_called = true;
    covered.results.assign(seen.texts.begin(), seen.texts.end());
    covered.are_more_results = seen.are_more;
    covered.succeeded = seen.succeeded;
    covered.failed = seen.failed;
    covered.threw = seen.threw;
    covered.waited = seen.waited;
  }
  coverage.warnings = warnings_about(coverage);
  const auto ends_life = std::ranges::find(test.operations(), true, &test::Operation::destroys);
  if (ends_life != test.operations().end() && !notes.destroyed)
    coverage.warnings.push_back(fmt::format(
        "the object was never destroyed after {0}(): in no scenario does {0}() return only after all other "
        "calls, run serially; test.scenario(…) can name one",
        ends_life->name));
  if (notes.judged_claims) {
    for (std::string& warning : vacuous_claims(test, notes)) coverage.warnings.push_back(std::move(warning));
  }
  return coverage;
}

}  // namespace plumb::testing
