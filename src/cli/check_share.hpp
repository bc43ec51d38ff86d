// Which part of the work of `plumb check` is this process's, as a shard of it, and what of that its journal knows already.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <plumb/result.hpp>

#include "cli/check_journal.hpp"
#include "cli/inputs.hpp"
#include "cli/options.hpp"
#include "journal/shard.hpp"

namespace plumb::cli {

class CheckShare {
 public:
  // Everything, and nothing is known.
  CheckShare() = default;
  // Leaves in the inputs what is this process's.
  [[nodiscard]] static Result<CheckShare> of(const Options& options, Inputs& inputs);

  [[nodiscard]] bool is_whole() const { return shard_.count == 1; }
  // The pieces are histories, of a single file.
  [[nodiscard]] bool is_by_history() const { return is_by_history_; }
  [[nodiscard]] bool has_history(std::size_t number) const { return shard_.has(number); }

  // Null: there is none.
  [[nodiscard]] CheckJournal* journal() { return journal_.get(); }
  [[nodiscard]] bool has_failed() const { return journal_ != nullptr && !journal_->status(); }
  // Of an entry of what is left of the inputs; null: it is not known.
  [[nodiscard]] const CheckedPiece* find(std::size_t entry, std::optional<std::size_t> history) const;
  // See CheckJournal.
  void begin(const std::string& path, Fingerprint file);
  [[nodiscard]] bool finish(std::size_t entry, std::optional<std::size_t> history, std::size_t histories);
  // Out of turn; false: it is not in the journal.
  [[nodiscard]] bool keep(CheckedPiece piece, const std::string& path, const Fingerprint& file);

 private:
  Shard shard_;
  bool is_by_history_ = false;
  std::vector<std::size_t> numbers_;       // of the entries, among those of all shards
  std::unique_ptr<CheckJournal> journal_;  // or null
};

}  // namespace plumb::cli
