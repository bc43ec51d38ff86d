// The journal of a run of `plumb check`: what is known from before, and the piece in hand, which is written down once it is finished.
// Files that are not what they were when a verdict was written are refused.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plumb/result.hpp>

#include "cli/check_pieces.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "journal/journal.hpp"

namespace plumb::cli {

// A file as it is at a moment.
struct Fingerprint {
  std::string hash = {};   // of its content; empty: it cannot be read
  std::string state = {};  // cheaper to ask for: when it was changed, its size

  [[nodiscard]] static Fingerprint of(const std::string& path);
  [[nodiscard]] static std::string state_of(const std::string& path);
};

class CheckJournal {
 public:
  [[nodiscard]] static Result<CheckJournal> open(const Options& options, const Inputs& inputs);

  // What is known of a piece; null: nothing.
  [[nodiscard]] const CheckedPiece* find(std::size_t entry, std::optional<std::size_t> history) const;

  // The piece in hand: of this file, as it is before it is read; what is told of it; that it is finished, or that it never will be.
  void begin(std::string path, Fingerprint file);
  void note(const OutputItem& item) { items_.push_back(item); }
  // False: the file has changed since, nothing is written. `histories`: see CheckedPiece.
  [[nodiscard]] bool finish(std::size_t entry, std::optional<std::size_t> history, std::size_t histories = 0);
  void drop() { items_.clear(); }
  // A piece that is not in hand, of a file as it was before it was read.
  [[nodiscard]] bool append(CheckedPiece piece, const std::string& path, const Fingerprint& file);

  // The first error in writing: what is found out from then on would be lost.
  [[nodiscard]] const Status& status() const { return status_; }
  void close();

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // entry, history + 1

  CheckJournal(Journal journal, CheckHead head) : journal_(std::move(journal)), head_(std::move(head)) {}
  [[nodiscard]] Status take_over();
  [[nodiscard]] Status check_files() const;

  Journal journal_;
  CheckHead head_;
  std::map<Key, CheckedPiece> known_;
  std::string path_;  // of the piece in hand
  Fingerprint file_;
  std::vector<OutputItem> items_;
  Status status_ = Ok{};
};

}  // namespace plumb::cli
