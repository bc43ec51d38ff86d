#include "cli/merged_check.hpp"

#include <fmt/format.h>

namespace plumb::cli {

Status MergedCheck::add(const std::string& file, const JournalText& journal) {
  const Error foreign{"is the journal of something else than 'plumb check'", {}, file};
  files_.push_back(file);
  const auto head = CheckHead::read(*journal.head);
  if (!head) return foreign;
  if (auto added = add_head(file, *head); !added) return added;
  std::map<Key, CheckedPiece> own;  // what could not be read was tried again: the last line counts
  for (const JournalLine& line : journal.lines) {
    auto piece = CheckedPiece::read(line);
    if (!piece || piece->entry >= head_->entries.size()) return foreign;
    const Key key{piece->entry, piece->history ? *piece->history + 1 : 0};
    own.insert_or_assign(key, std::move(*piece));
  }
  for (auto& [_, piece] : own) {
    if (auto added = add_piece(std::move(piece)); !added) return added;
  }
  return Ok{};
}

Status MergedCheck::add_head(const std::string& file, const CheckHead& head) {
  if (!head_) {
    head_ = head;
    common_ = head.extras;
    const std::string mine = program_in_journal("plumb");
    if (mine == head.program) return Ok{};
    return Error{fmt::format("was written by another program: {}; this is {}", head.program, mine), {}, file};
  }
  if (auto same = head_->same_as(head, file); !same)
    return Error{fmt::format("does not go with {}: it {}", files_.front(), same.error().message), {}, file};
  for (std::string ExtraFiles::*name : {&ExtraFiles::certificate, &ExtraFiles::report, &ExtraFiles::junit}) {
    if (head.extras.*name != common_.*name) (common_.*name).clear();
  }
  return Ok{};
}

Status MergedCheck::add_piece(CheckedPiece piece) {
  const std::size_t from = files_.size() - 1;
  const auto whole = known_.find({piece.entry, 0});
  if (whole != known_.end() && whole->second.piece.hash != piece.hash) return two_say(whole->second, piece);
  const Key key{piece.entry, piece.history ? *piece.history + 1 : 0};
  const auto known = known_.find(key);
  if (known != known_.end() && !known->second.piece.agrees_with(piece)) return two_say(known->second, piece);
  known_.try_emplace(key, Known{std::move(piece), from});
  return Ok{};
}

Error MergedCheck::two_say(const Known& known, const CheckedPiece& piece) const {
  const std::string name = name_of(*head_, piece.entry, piece.history);
  if (known.piece.hash != piece.hash)
    return {
        fmt::format("was not the same file for {} and for {}", files_[known.from], files_.back()), {}, name};
  return {fmt::format("the journals disagree: '{}' in {}, '{}' in {}", result_of(known.piece.items),
                      files_[known.from], result_of(piece.items), files_.back()),
          {},
          name};
}

std::vector<const CheckedPiece*> MergedCheck::pieces() const {
  std::vector<const CheckedPiece*> all;
  for (const auto& [_, known] : known_) all.push_back(&known.piece);
  return all;
}

std::vector<std::string> MergedCheck::missing() const {
  std::vector<std::string> names;
  for (std::size_t entry = 0; entry < head_->entries.size(); ++entry) {
    const auto whole = known_.find({entry, 0});
    if (whole == known_.end()) names.push_back(name_of(*head_, entry, std::nullopt));
    const std::size_t histories = whole == known_.end() ? 0 : whole->second.piece.histories;
    for (std::size_t i = 0; i < histories; ++i) {
      if (!known_.contains({entry, i + 1})) names.push_back(name_of(*head_, entry, i));
    }
  }
  return names;
}

}  // namespace plumb::cli
