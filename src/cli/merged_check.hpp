// Journals of `plumb check`, put together: which pieces there are, what each journal says of them, and whether all of them are about
// the same run and say the same.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <plumb/result.hpp>

#include "cli/check_pieces.hpp"

namespace plumb::cli {

class MergedCheck {
 public:
  // An error: it does not fit to the others.
  [[nodiscard]] Status add(const std::string& file, const JournalText& journal);

  [[nodiscard]] const CheckHead& head() const { return *head_; }  // of all of them
  // Of the files that all were told to write, those that all have the same name for.
  [[nodiscard]] const ExtraFiles& common() const { return common_; }
  // What is known, in the order of the input.
  [[nodiscard]] std::vector<const CheckedPiece*> pieces() const;
  // The names of those that are in no journal.
  [[nodiscard]] std::vector<std::string> missing() const;

 private:
  using Key = std::pair<std::size_t, std::size_t>;  // entry, history + 1
  struct Known {
    CheckedPiece piece;
    std::size_t from = 0;  // the journal
  };

  [[nodiscard]] Status add_head(const std::string& file, const CheckHead& head);
  [[nodiscard]] Status add_piece(CheckedPiece piece);
  [[nodiscard]] Error two_say(const Known& known, const CheckedPiece& piece) const;

  std::optional<CheckHead> head_;
  ExtraFiles common_;
  std::vector<std::string> files_;  // the journals
  std::map<Key, Known> known_;
};

}  // namespace plumb::cli
