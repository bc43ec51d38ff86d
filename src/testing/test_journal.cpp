#include "testing/test_journal.hpp"

#include <bit>

#include <fmt/format.h>

#include "base/message.hpp"
#include "testing/scenario_answer.hpp"

namespace plumb::testing {
namespace {

std::string name_of(const ScenarioPiece& piece) {
  return fmt::format("{}: scenario {}", piece.request.test, piece.request.number + 1);
}

std::string_view result_of(const ScenarioPiece& piece) { return to_string(piece.outcome.verdict, "pass"); }

// Whatever time it had.
std::string asked_for(const ScenarioPiece& piece) {
  ScenarioRequest request = piece.request;
  request.timeout.reset();
  return request.message();
}

// Where one is unknown it only had less time.
bool contradict(const ScenarioPiece& one, const ScenarioPiece& other) {
  return one.outcome.verdict != Outcome::kUnknown && other.outcome.verdict != Outcome::kUnknown &&
         one.outcome.verdict != other.outcome.verdict;
}

Result<std::vector<ScenarioPiece>> pieces_of(const JournalText& text, const std::string& path) {
  std::vector<ScenarioPiece> pieces;
  for (const JournalLine& line : text.lines) {
    auto piece = ScenarioPiece::read(line);
    if (!piece) return Error{fmt::format("what it says of {} is not readable", line.piece), {}, path};
    pieces.push_back(std::move(*piece));
  }
  return pieces;
}

}  // namespace

JournalLine ScenarioPiece::line() const {
  MessageWriter to;
  to.text(request.message());
  to.number(std::bit_cast<std::uint64_t>(took.count())).number(std::bit_cast<std::uint64_t>(passed.count()));
  to.text(to_answer(outcome));
  return {name_of(*this), std::string(result_of(*this)), to.take()};
}

std::optional<ScenarioPiece> ScenarioPiece::read(const JournalLine& line) {
  MessageReader from(line.data);
  auto request = ScenarioRequest::read(std::string(from.text()));
  const auto took = std::bit_cast<double>(from.number());
  const auto passed = std::bit_cast<double>(from.number());
  auto outcome = from_answer(std::string(from.text()));
  if (!request || !outcome || !from.ok() || !from.at_end()) return std::nullopt;
  return ScenarioPiece{std::move(*request), Seconds(took), Seconds(passed), std::move(*outcome)};
}

Result<TestJournal> TestJournal::open(const std::string& path, const ProgramHead& head) {
  auto journal = Journal::open(path);
  if (!journal) return journal.error();
  TestJournal made;
  if (auto taken = made.take(journal->found(), head, path); !taken) return taken.error();
  if (auto begun = journal->begin(head.line()); !begun) return begun.error();
  made.journal_.emplace(std::move(journal).value());
  return made;
}

Result<TestJournal> TestJournal::merge(const std::vector<std::string>& paths, const ProgramHead& head) {
  TestJournal made;
  bool any = false;
  for (const std::string& path : paths) {
    const auto text = read_journal(path);
    if (!text) return text.error();
    any = any || text->head;
    if (auto taken = made.take(*text, head, path); !taken) return taken.error();
  }
  if (!any) return Error{"is empty: nothing was finished", {}, paths.front()};
  return made;
}

Status TestJournal::take(const JournalText& text, const ProgramHead& head, const std::string& path) {
  if (!text.head) return Ok{};
  const auto found = ProgramHead::read(*text.head);
  if (!found) return Error{"is not the journal of a test program", {}, path};
  if (auto same = head.same_as(*found, path); !same) return same;
  auto pieces = pieces_of(text, path);
  if (!pieces) return pieces.error();
  return add(*pieces, path);
}

// What is known twice counts once: as it was decided, if it was.
Status TestJournal::add(const std::vector<ScenarioPiece>& pieces, const std::string& path) {
  for (const ScenarioPiece& piece : pieces) {
    auto& known = known_[piece.request.test];
    const auto [place, is_new] = places_.try_emplace(asked_for(piece), known.size());
    if (is_new) {
      known.push_back(piece);
      continue;
    }
    ScenarioPiece& same = known[place->second];
    if (contradict(same, piece)) {
      return Error{fmt::format("the journals disagree on {}: '{}' here, '{}' before", name_of(piece),
                               result_of(piece), result_of(same)),
                   {},
                   path};
    }
    if (same.outcome.verdict == Outcome::kUnknown) same = piece;
  }
  return Ok{};
}

const std::vector<ScenarioPiece>& TestJournal::known(const std::string& test) const {
  static const std::vector<ScenarioPiece> kNone;
  const auto found = known_.find(test);
  return found == known_.end() ? kNone : found->second;
}

void TestJournal::append(const ScenarioPiece& piece) {
  if (journal_ && status_) status_ = journal_->append(piece.line());
}

void TestJournal::close() {
  if (journal_ && status_) status_ = journal_->sync();
}

}  // namespace plumb::testing
