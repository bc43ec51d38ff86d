#include "cli/check_share.hpp"

#include <utility>
#include <variant>

namespace plumb::cli {

Result<CheckShare> CheckShare::of(const Options& options, Inputs& inputs) {
  CheckShare share;
  const auto shard = find_shard(options.shard);
  if (!shard) return shard.error();
  if (*shard && options.mpi) return Error{"--mpi: the ranks share the work themselves, not as a shard of it"};
  if (!options.journal.empty()) {
    auto journal = CheckJournal::open(options, inputs);
    if (!journal) return journal.error();
    share.journal_ = std::make_unique<CheckJournal>(std::move(journal).value());
  }
  share.shard_ = shard->value_or(Shard{});
  share.is_by_history_ = inputs.entries.size() == 1 && (share.journal_ != nullptr || !share.is_whole());
  std::vector<std::variant<std::string, Error>> mine;
  for (std::size_t i = 0; i < inputs.entries.size(); ++i) {
    if (!share.is_by_history_ && !share.shard_.has(i)) continue;
    share.numbers_.push_back(i);
    mine.push_back(std::move(inputs.entries[i]));
  }
  inputs.entries = std::move(mine);
  return share;
}

const CheckedPiece* CheckShare::find(std::size_t entry, std::optional<std::size_t> history) const {
  return journal_ != nullptr ? journal_->find(numbers_[entry], history) : nullptr;
}

void CheckShare::begin(const std::string& path, Fingerprint file) {
  if (journal_ != nullptr) journal_->begin(path, std::move(file));
}

bool CheckShare::finish(std::size_t entry, std::optional<std::size_t> history, std::size_t histories) {
  return journal_ == nullptr || journal_->finish(numbers_[entry], history, is_by_history_ ? histories : 0);
}

bool CheckShare::keep(CheckedPiece piece, const std::string& path, const Fingerprint& file) {
  if (journal_ == nullptr) return false;
  piece.entry = numbers_[piece.entry];
  return journal_->append(std::move(piece), path, file);
}

}  // namespace plumb::cli
