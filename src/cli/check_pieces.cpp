#include "cli/check_pieces.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/message.hpp"
#include "cli/tally.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

constexpr std::string_view kKind = "plumb check";  // the first of the data

// They do not change what is found out, or are looked at on their own.
constexpr std::array<std::string_view, 7> kNotCompared = {"--jobs",   "--mpi",         "--shard", "--journal",
                                                          "--report", "--certificate", "--junit"};

void write_texts(const std::vector<std::string>& texts, MessageWriter& to) {
  to.number(texts.size());
  for (const std::string& text : texts) to.text(text);
}

std::vector<std::string> read_texts(MessageReader& from) {
  std::vector<std::string> texts;
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) texts.emplace_back(from.text());
  return texts;
}

std::string name_of(const std::variant<std::string, Error>& entry) {
  const auto* error = std::get_if<Error>(&entry);
  return error != nullptr ? error->file : std::get<std::string>(entry);
}

}  // namespace

std::string ExtraFiles::text() const {
  std::vector<std::string> words;
  if (!certificate.empty()) words.emplace_back("--certificate");
  if (!report.empty())
    words.push_back(fmt::format("--report ({})", std::filesystem::path(report).extension().string()));
  if (!junit.empty()) words.emplace_back("--junit");
  return words.empty() ? "nothing" : joined(words);
}

CheckHead CheckHead::of(const Options& options, const Inputs& inputs) {
  CheckHead head{.program = program_in_journal("plumb"),
                 .words = options::words_of(options.given, kNotCompared),
                 .arguments = options.arguments,
                 .passed_over = inputs.passed_over.size(),
                 .extras = ExtraFiles::of(options)};
  if (!options.spec.empty()) head.spec = content_hash(options.spec).value_or("");
  for (const auto& entry : inputs.entries) head.entries.push_back(name_of(entry));
  if (head.passed_over != 0) head.first_passed_over = inputs.passed_over.front();
  return head;
}

std::string CheckHead::command() const {
  std::string text = "plumb check";
  for (const auto* list : {&arguments, &words}) {
    for (const std::string& word : *list) text += " " + word;
  }
  return text;
}

JournalHead CheckHead::line() const {
  MessageWriter to;
  to.text(kKind);
  write_texts(words, to);
  write_texts(arguments, to);
  to.text(spec);
  write_texts(entries, to);
  to.number(passed_over).text(first_passed_over);
  to.text(extras.certificate).text(extras.report).text(extras.junit);
  return {program, command(), to.take()};
}

std::optional<CheckHead> CheckHead::read(const JournalHead& line) {
  MessageReader from(line.data);
  if (from.text() != kKind) return std::nullopt;
  CheckHead head{.program = line.program};
  head.words = read_texts(from);
  head.arguments = read_texts(from);
  head.spec = from.text();
  head.entries = read_texts(from);
  head.passed_over = from.number();
  head.first_passed_over = from.text();
  for (std::string* name : {&head.extras.certificate, &head.extras.report, &head.extras.junit})
    *name = from.text();
  return from.ok() && from.at_end() ? std::optional(std::move(head)) : std::nullopt;
}

Status CheckHead::same_as(const CheckHead& other, const std::string& file) const {
  const auto refused = [&](const std::string& why) { return Error{why, {}, file}; };
  if (program != other.program)
    return refused(fmt::format("was written by another program: {}; this is {}", other.program, program));
  if (words != other.words || arguments != other.arguments)
    return refused(
        fmt::format("was written with other arguments: {}; these are {}", other.command(), command()));
  if (spec != other.spec) return refused("was written with another content of the file of --spec");
  if (extras.text() != other.extras.text())
    return refused(fmt::format("was written with other files to write: {}; here: {}", other.extras.text(),
                               extras.text()));
  if (entries != other.entries)
    return refused(fmt::format("was written when there were other files: {}; now there are {}",
                               other.entries.size(), entries.size()));
  return Ok{};
}

JournalLine CheckedPiece::line(const CheckHead& head) const {
  MessageWriter to;
  to.number(entry).number(history ? *history + 1 : 0).number(histories).text(hash).text(to_message(items));
  return {name_of(head, entry, history), result_of(items), to.take()};
}

std::optional<CheckedPiece> CheckedPiece::read(const JournalLine& line) {
  MessageReader from(line.data);
  CheckedPiece piece;
  piece.entry = from.number();
  if (const std::uint64_t number = from.number(); number > 0) piece.history = number - 1;
  piece.histories = from.number();
  piece.hash = from.text();
  auto items = items_from(from.text());
  if (!items || !from.ok() || !from.at_end()) return std::nullopt;
  piece.items = std::move(*items);
  return piece;
}

bool CheckedPiece::agrees_with(const CheckedPiece& other) const {
  const auto says = [](const OutputItem& item) {
    const bool is_verdict = item.kind == OutputItem::Kind::kVerdict;
    return std::tuple(item.kind, item.first, is_verdict ? item.outcome : Outcome::kHolds,
                      item.kind == OutputItem::Kind::kError ? item.text : "");
  };
  const auto verdicts = [&](const CheckedPiece& piece) {
    std::vector<decltype(says(piece.items.front()))> all;
    for (const OutputItem& item : piece.items) {
      if (item.kind == OutputItem::Kind::kVerdict || item.kind == OutputItem::Kind::kError)
        all.push_back(says(item));
    }
    return all;
  };
  return hash == other.hash && histories == other.histories && verdicts(*this) == verdicts(other);
}

std::string name_of(const CheckHead& head, std::size_t entry, std::optional<std::size_t> history) {
  return history ? fmt::format("{}, history {}", head.entries[entry], *history) : head.entries[entry];
}

std::string result_of(const std::vector<OutputItem>& items) {
  Tally tally;
  for (const OutputItem& item : items) {
    if (item.kind == OutputItem::Kind::kVerdict) tally.add(item.outcome);
    if (item.kind == OutputItem::Kind::kError) ++tally.errors;
  }
  const bool is_one = tally.histories() + tally.errors == 1;
  std::vector<std::string> words;
  const auto say = [&](std::size_t count, std::string_view word) {
    if (count != 0) words.push_back(is_one ? std::string(word) : fmt::format("{} {}", count, word));
  };
  say(tally.linearizable, "linearizable");
  say(tally.violations, "violation");
  say(tally.unknown, "unknown");
  say(tally.errors, "error");
  return joined(words);
}

}  // namespace plumb::cli
