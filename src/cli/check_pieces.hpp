// What stands in a journal of `plumb check`: the run, as far as it must not be different where it goes on, and its pieces: files, or,
// of a single file, its histories.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/inputs.hpp"
#include "cli/judge.hpp"
#include "cli/options.hpp"
#include "journal/journal.hpp"

namespace plumb::cli {

// Where else to write; empty: that is not asked for.
struct ExtraFiles {
  std::string certificate = {};
  std::string report = {};
  std::string junit = {};

  [[nodiscard]] static ExtraFiles of(const Options& options) {
    return {options.certificate, options.report, options.junit};
  }
  // What is written, whatever the files are called.
  [[nodiscard]] std::string text() const;
};

// A run, whichever shard of it.
struct CheckHead {
  std::string program = {};
  std::vector<std::string> words = {};      // options, without those that have no say in what is found out
  std::vector<std::string> arguments = {};  // files and folders
  std::string spec = {};                    // the hash of the model of one's own
  std::vector<std::string> entries = {};    // the files
  std::size_t passed_over = 0;              // in folders
  std::string first_passed_over = {};
  ExtraFiles extras = {};  // shards may have different names for the same

  [[nodiscard]] static CheckHead of(const Options& options, const Inputs& inputs);
  [[nodiscard]] JournalHead line() const;
  [[nodiscard]] static std::optional<CheckHead> read(const JournalHead& line);

  // The pieces are histories.
  [[nodiscard]] bool is_by_history() const { return entries.size() == 1; }
  [[nodiscard]] std::string command() const;
  // What is different in the other run, which is that of this file; an error says it.
  [[nodiscard]] Status same_as(const CheckHead& other, const std::string& file) const;
};

struct CheckedPiece {
  std::size_t entry = 0;
  // None: all of the file; where pieces are histories, what there was to be said of reading it.
  std::optional<std::size_t> history = std::nullopt;
  std::size_t histories = 0;  // of the file, where pieces are histories
  std::string hash = {};      // of the file; empty: it could not be read
  std::vector<OutputItem> items = {};

  [[nodiscard]] JournalLine line(const CheckHead& head) const;
  [[nodiscard]] static std::optional<CheckedPiece> read(const JournalLine& line);
  // The same was found out, in whatever time.
  [[nodiscard]] bool agrees_with(const CheckedPiece& other) const;
};

[[nodiscard]] std::string name_of(const CheckHead& head, std::size_t entry,
                                  std::optional<std::size_t> history);
// In words: "linearizable", "2 linearizable, 1 violation".
[[nodiscard]] std::string result_of(const std::vector<OutputItem>& items);

}  // namespace plumb::cli
