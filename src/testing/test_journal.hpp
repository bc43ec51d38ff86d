// The journal of a test program: the outcomes of scenarios, as workers answer them, each with what was asked for. One that goes on
// has those of before; one that merges has those of several journals, and nothing is run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plumb/result.hpp>
#include <plumb/seconds.hpp>

#include "journal/journal.hpp"
#include "journal/program_head.hpp"
#include "testing/line_up.hpp"
#include "testing/scenario_runner.hpp"

namespace plumb::testing {

struct ScenarioPiece {
  ScenarioRequest request;  // its timeout: what a task of the campaign had for its share
  Seconds took{};
  Seconds passed{};  // of the test, by then
  ScenarioResult outcome;

  [[nodiscard]] JournalLine line() const;
  [[nodiscard]] static std::optional<ScenarioPiece> read(const JournalLine& line);
};

class TestJournal {
 public:
  [[nodiscard]] static Result<TestJournal> open(const std::string& path, const ProgramHead& head);
  // An error: one does not fit, or two disagree.
  [[nodiscard]] static Result<TestJournal> merge(const std::vector<std::string>& paths,
                                                 const ProgramHead& head);

  [[nodiscard]] bool merges() const { return !journal_; }
  // What is known of a test, in the order in which it was found out.
  [[nodiscard]] const std::vector<ScenarioPiece>& known(const std::string& test) const;
  void append(const ScenarioPiece& piece);
  // Of a scenario that none of the journals has.
  void note_missing(std::string name) { missing_.push_back(std::move(name)); }
  [[nodiscard]] const std::vector<std::string>& missing() const { return missing_; }

  // The first error in writing.
  [[nodiscard]] const Status& status() const { return status_; }
  void close();

 private:
  [[nodiscard]] Status take(const JournalText& text, const ProgramHead& head, const std::string& path);
  [[nodiscard]] Status add(const std::vector<ScenarioPiece>& pieces, const std::string& path);

  std::optional<Journal> journal_;  // none: it merges
  std::map<std::string, std::vector<ScenarioPiece>> known_;
  std::map<std::string, std::size_t> places_;  // in known_, by what was asked for
  std::vector<std::string> missing_;
  Status status_ = Ok{};
};

}  // namespace plumb::testing
