#include "cli/check_journal.hpp"

#include <sys/stat.h>

#include <variant>

#include <fmt/format.h>

namespace plumb::cli {
namespace {

// What cannot be read twice cannot be compared with what was read.
Status only_files(const Inputs& inputs) {
  for (const auto& entry : inputs.entries) {
    const auto* path = std::get_if<std::string>(&entry);
    if (path == nullptr) continue;
    struct stat about {};
    const bool is_pipe = *path == "-" || (stat(path->c_str(), &about) == 0 && !S_ISREG(about.st_mode));
    if (is_pipe)
      return Error{"cannot be read a second time, as --journal needs it; expected a file", {}, *path};
  }
  return Ok{};
}

}  // namespace

// The state first: who changes the file while its content is hashed is seen later.
Fingerprint Fingerprint::of(const std::string& path) {
  Fingerprint file{.state = state_of(path)};
  file.hash = content_hash(path).value_or("");
  return file;
}

std::string Fingerprint::state_of(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) != 0) return {};
  return fmt::format("{} {}.{:09} {}", about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec,
                     about.st_ino);
}

Result<CheckJournal> CheckJournal::open(const Options& options, const Inputs& inputs) {
  if (auto files = only_files(inputs); !files) return files.error();
  auto journal = Journal::open(options.journal);
  if (!journal) return journal.error();
  CheckJournal made(std::move(journal).value(), CheckHead::of(options, inputs));
  if (auto same = made.take_over(); !same) return same.error();
  if (auto begun = made.journal_.begin(made.head_.line()); !begun) return begun.error();
  return made;
}

// What could not be read is tried again.
Status CheckJournal::take_over() {
  const JournalText& found = journal_.found();
  if (!found.head) return Ok{};
  const Error foreign{"is the journal of something else than 'plumb check'", {}, journal_.path()};
  const auto head = CheckHead::read(*found.head);
  if (!head && found.head->program == head_.program) return foreign;
  if (!head) return head_.same_as({.program = found.head->program}, journal_.path());
  if (auto same = head_.same_as(*head, journal_.path()); !same) return same;
  for (const JournalLine& line : found.lines) {
    auto piece = CheckedPiece::read(line);
    if (!piece || piece->entry >= head_.entries.size()) return foreign;
    const Key key{piece->entry, piece->history ? *piece->history + 1 : 0};
    if (!piece->hash.empty()) known_.insert_or_assign(key, std::move(*piece));
  }
  return check_files();
}

Status CheckJournal::check_files() const {
  std::optional<std::size_t> last;
  std::string hash;
  for (const auto& [key, piece] : known_) {
    if (last != piece.entry) hash = Fingerprint::of(head_.entries[piece.entry]).hash;
    last = piece.entry;
    if (hash == piece.hash) continue;
    return Error{fmt::format("{} since its verdict was written to {}; take another journal",
                             hash.empty() ? "cannot be read any more" : "has changed", journal_.path()),
                 {},
                 head_.entries[piece.entry]};
  }
  return Ok{};
}

const CheckedPiece* CheckJournal::find(std::size_t entry, std::optional<std::size_t> history) const {
  const auto found = known_.find({entry, history ? *history + 1 : 0});
  return found == known_.end() ? nullptr : &found->second;
}

void CheckJournal::begin(std::string path, Fingerprint file) {
  path_ = std::move(path);
  file_ = std::move(file);
  items_.clear();
}

bool CheckJournal::finish(std::size_t entry, std::optional<std::size_t> history, std::size_t histories) {
  CheckedPiece piece{.entry = entry, .history = history, .histories = histories};
  piece.items.swap(items_);
  return append(std::move(piece), path_, file_);
}

bool CheckJournal::append(CheckedPiece piece, const std::string& path, const Fingerprint& file) {
  piece.hash = file.hash;
  if (Fingerprint::state_of(path) != file.state) return false;
  if (status_) status_ = journal_.append(piece.line(head_));
  return true;
}

void CheckJournal::close() {
  if (status_) status_ = journal_.sync();
}

}  // namespace plumb::cli
