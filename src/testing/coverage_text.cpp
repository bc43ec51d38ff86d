// The table that says what a pass is about, and what of it is suspicious: a test that never lets an operation succeed passes, too.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_of.hpp"
#include "testing/coverage.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kMostNames = 6;      // in a cell
constexpr std::size_t kMostPairs = 3;      // in a sentence
constexpr std::size_t kMostFunctions = 6;  // likewise
constexpr std::size_t kWidestCell = 36;    // bytes of results

bool is_all(const std::vector<std::string>& names, const Coverage& coverage) {
  return names.size() == coverage.operations.size() && names.size() > 2;
}

// "push, pop"; "all of them", "all but pop", "9 of 30 operations" where the names would be too many.
std::string names_cell(const std::vector<std::string>& names, const Coverage& coverage) {
  if (is_all(names, coverage)) return "all of them";
  if (names.size() <= kMostNames) return fmt::format("{}", fmt::join(names, ", "));
  std::vector<std::string> missing;
  for (const OperationCoverage& each : coverage.operations) {
    if (std::ranges::find(names, each.name) == names.end()) missing.push_back(each.name);
  }
  if (missing.size() <= kMostNames) return fmt::format("all but {}", fmt::join(missing, ", "));
  return fmt::format("{} of {} operations", names.size(), coverage.operations.size());
}

std::string results_cell(const OperationCoverage& operation) {
  if (!operation.is_called) return "(never called)";
  std::vector<std::string> items;
  if (operation.returns_nothing && (operation.succeeded || operation.failed)) items.emplace_back("(returns)");
  std::size_t width = 0;
  bool are_more = operation.are_more_results;
  for (const std::string& result : operation.results) {
    width += result.size() + 2;
    if (!items.empty() && width > kWidestCell) {
      are_more = true;
      break;
    }
    items.push_back(result);
  }
  if (are_more) items.emplace_back("…");
  if (operation.waited) items.emplace_back("(waits)");
  return fmt::format("{}", fmt::join(items, ", "));
}

using Row = std::vector<std::string>;

std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  const auto width = [](const std::string& cell) {  // of characters, not bytes
    return static_cast<std::size_t>(
        std::ranges::count_if(cell, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  };
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i)
      line += "  " + row[i] + std::string(widths[i] - width(row[i]), ' ');
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// "never reached: Queue::pop (queue.hpp:31, 33), Queue::size (queue.hpp:40)"
std::string unreached_text(const std::vector<SourcePlace>& places) {
  struct Function {
    std::string name;
    std::string file;
    std::vector<int> lines;
  };
  std::vector<Function> functions;
  for (const SourcePlace& place : places) {
    const bool is_new =
        functions.empty() || functions.back().name != place.function || functions.back().file != place.file;
    if (is_new) functions.push_back({place.function, place.file, {}});
    functions.back().lines.push_back(place.line);
  }
  if (functions.empty()) return "";
  std::vector<std::string> shown;
  for (const Function& each : functions) {
    if (shown.size() == kMostFunctions) break;
    shown.push_back(fmt::format("{} ({}:{})", each.name, each.file.substr(each.file.rfind('/') + 1),
                                fmt::join(each.lines, ", ")));
  }
  const std::size_t more = functions.size() - shown.size();
  return fmt::format("lines never reached, of those that access memory: {}{}\n", fmt::join(shown, ", "),
                     more == 0 ? "" : fmt::format(", and of {} more", count_of(more, "function")));
}

std::string named(const OperationCoverage& operation) { return operation.name + "()"; }

// What it gave, where that is all that there is to say against it.
std::string against(const OperationCoverage& operation) {
  if (!operation.is_called) return fmt::format("{} was never called by a thread", named(operation));
  if (!operation.succeeded && !operation.failed && !operation.threw)
    return fmt::format("{} never returned: it waited in every execution", named(operation));
  if (!operation.succeeded && operation.failed && !operation.returns_nothing)
    return fmt::format("{} never succeeded: it gave only {}; test.before(…) can call what it needs",
                       named(operation), fmt::join(operation.results, ", "));
  if (!operation.succeeded && !operation.failed)
    return fmt::format("{} never succeeded: it only {}", named(operation), operation.results.front());
  const bool gave_one = operation.results.size() == 1 && !operation.are_more_results && !operation.waited;
  if (gave_one && !operation.takes_arguments && !operation.failed && operation.results.front() != "true")
    return fmt::format("{} gave {} in every execution: nothing that was called beside it made a difference",
                       named(operation), operation.results.front());
  return "";
}

// Those that no scenario has in different threads.
std::string against_pairs(const Coverage& coverage) {
  std::vector<std::string> pairs;
  for (std::size_t i = 0; i < coverage.operations.size(); ++i) {
    for (std::size_t j = i; j < coverage.operations.size(); ++j) {
      const auto& apart = coverage.operations[i].apart;
      const bool is_apart = std::ranges::find(apart, coverage.operations[j].name) != apart.end();
      const bool are_called = coverage.operations[i].is_called && coverage.operations[j].is_called;
      if (is_apart && are_called)
        pairs.push_back(named(coverage.operations[i]) + " and " + named(coverage.operations[j]));
    }
  }
  if (pairs.empty()) return "";
  if (coverage.pairs == 0) return "no two operations were called by different threads";
  std::string more;
  if (pairs.size() > kMostPairs) {
    more = fmt::format(", and {} more", pairs.size() - kMostPairs);
    pairs.resize(kMostPairs);
  }
  return fmt::format("never called by different threads of one scenario: {}{}", fmt::join(pairs, ", "), more);
}

}  // namespace

std::vector<std::string> warnings_about(const Coverage& coverage) {
  std::vector<std::string> warnings;
  const auto add = [&](std::string sentence) {
    if (!sentence.empty()) warnings.push_back(std::move(sentence));
  };
  for (const OperationCoverage& operation : coverage.operations) add(against(operation));
  add(against_pairs(coverage));
  return warnings;
}

std::string coverage_text(const Coverage& coverage) {
  const bool any_turns =
      std::ranges::any_of(coverage.operations, [](const auto& each) { return !each.took_turns.empty(); });
  std::vector<Row> rows = {{"operation", "results", "at the same time as"}};
  if (any_turns) rows.front().emplace_back("taking turns with");
  for (const OperationCoverage& operation : coverage.operations) {
    Row& row = rows.emplace_back(
        Row{operation.name, results_cell(operation), names_cell(operation.overlapped, coverage)});
    if (any_turns) row.push_back(names_cell(operation.took_turns, coverage));
  }
  std::string text = aligned(rows);
  if (any_turns)
    text +=
        "taking turns: one had always returned before the other took its first step; a lock, or a single "
        "step, keeps them apart\n";
  return text + unreached_text(coverage.unreached);
}

std::string warnings_text(const Coverage& coverage) {
  std::string text;
  for (const std::string& warning : coverage.warnings) text += "warning: " + warning + "\n";
  return text;
}

}  // namespace plumb::testing
