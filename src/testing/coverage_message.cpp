#include "testing/coverage_message.hpp"

namespace plumb::testing {
namespace {

void write_pairs(const std::set<OperationPair>& pairs, MessageWriter& to) {
  to.number(pairs.size());
  for (const auto& [one, other] : pairs) to.number(one).number(other);
}
std::set<OperationPair> read_pairs(MessageReader& from) {
  std::set<OperationPair> pairs;
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    const auto one = static_cast<std::uint16_t>(from.number());
    pairs.emplace(one, static_cast<std::uint16_t>(from.number()));
  }
  return pairs;
}

}  // namespace

void write_coverage(const CoverageNotes& notes, MessageWriter& to) {
  to.number(notes.destroyed ? 1 : 0);
  write_pairs(notes.beside, to);
  write_pairs(notes.overlapped, to);
  to.number(notes.judged_claims ? 1 : 0);
  write_pairs(notes.handed_over, to);
  to.number(notes.results.size());
  for (const auto& [operation, seen] : notes.results) {
    to.number(operation)
        .number(seen.are_more ? 1 : 0)
        .number(seen.succeeded ? 1 : 0)
        .number(seen.failed ? 1 : 0)
        .number(seen.threw ? 1 : 0)
        .number(seen.waited ? 1 : 0)
        .number(seen.texts.size());
    for (const std::string& text : seen.texts) to.text(text);
  }
}
CoverageNotes read_coverage(MessageReader& from) {
  CoverageNotes notes;
  notes.destroyed = from.number() != 0;
  notes.beside = read_pairs(from);
  notes.overlapped = read_pairs(from);
  notes.judged_claims = from.number() != 0;
  notes.handed_over = read_pairs(from);
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) {
    SeenResults& seen = notes.results[static_cast<std::uint16_t>(from.number())];
    seen.are_more = from.number() != 0;
    seen.succeeded = from.number() != 0;
    seen.failed = from.number() != 0;
    seen.threw = from.number() != 0;
    seen.waited = from.number() != 0;
    for (std::uint64_t texts = from.number(); texts > 0 && from.ok(); --texts)
      seen.texts.insert(std::string(from.text()));
  }
  return notes;
}

}  // namespace plumb::testing
