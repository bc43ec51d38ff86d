#include "journal/journal.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include <plumb/version.hpp>

#include "base/base64.hpp"
#include "base/file_io.hpp"
#include "base/hash.hpp"
#include "json/json_reader.hpp"
#include "json/json_writer.hpp"

namespace plumb {
namespace {

constexpr std::string_view kBeginning = R"({"plumb-journal":1,)";  // of the first line
constexpr std::string_view kHash = R"(,"hash":")";
constexpr std::string_view kEnd = "\"}";
constexpr double kSyncShare = 0.01;  // of the time

using Names = std::array<std::string_view, 3>;
constexpr Names kHeadNames{"program", "command", "data"};
constexpr Names kLineNames{"piece", "result", "data"};

// Without its end the object is what the hash is of. The data needs no escapes, and is most of it.
std::string line_of(bool is_first, const Names& names, const std::string& one, const std::string& other,
                    const std::string& data) {
  JsonWriter json;
  json.object([&] {
    if (is_first) json.member("plumb-journal", 1);
    json.member(names[0], one);
    json.member(names[1], other);
  });
  std::string line = json.take();
  line.pop_back();
  const std::string bytes = to_base64(data);
  line.reserve(line.size() + bytes.size() + 64);
  line.append(",\"").append(names[2]).append("\":\"").append(bytes).append("\"");
  const std::uint64_t hash = hash64(line);
  fmt::format_to(std::back_inserter(line), "{}{:016x}{}\n", kHash, hash, kEnd);
  return line;
}

std::string line_of(const JournalHead& head) {
  return line_of(true, kHeadNames, head.program, head.command, head.data);
}
std::string line_of(const JournalLine& line) {
  return line_of(false, kLineNames, line.piece, line.result, line.data);
}

// The line, without its '\n', is as it was written.
bool is_whole(std::string_view line) {
  constexpr std::size_t kDigits = 16;
  const std::size_t tail = kHash.size() + kDigits + kEnd.size();
  if (line.size() < tail) return false;
  const std::string_view content = line.substr(0, line.size() - tail);
  return line.substr(content.size()) == fmt::format("{}{:016x}{}", kHash, hash64(content), kEnd);
}

// The members with these names, the last one as bytes.
std::optional<std::array<std::string, 3>> members_of(std::string_view line, const Names& names) {
  std::array<std::string, 3> members;
  JsonReader reader(line);
  if (const auto more = reader.next(); !more || !*more) return std::nullopt;
  const Status read = reader.members([&](std::string_view name, JsonValue value) -> Status {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (name != names[i]) continue;
      auto text = reader.string(value, "a text");
      if (!text) return text.error();
      members[i] = *text;
      return Ok{};
    }
    return reader.skip(value);
  });
  if (!read) return std::nullopt;
  auto data = from_base64(members[2]);
  if (!data) return std::nullopt;
  members[2] = std::move(*data);
  return members;
}

// A first line, whole or cut off.
bool may_be_first(std::string_view line, bool is_ended) {
  return line.starts_with(kBeginning) || (!is_ended && kBeginning.starts_with(line));
}

// A small regular file, whole: mapping it would take longer than to read it. False: it is none.
bool read_small(const std::string& path, std::string& content) {
  constexpr off_t kMost = off_t{1} << 18U;
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return false;
  struct stat about {};
  bool whole = fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= kMost;
  if (whole) {
    content.resize(static_cast<std::size_t>(about.st_size));
    whole = read(descriptor, content.data(), content.size()) == about.st_size;
  }
  close(descriptor);
  return whole;
}

// Its name appears in its folder for good.
void sync_folder(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  const int descriptor = open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  (void)fsync(descriptor);
  close(descriptor);
}

}  // namespace

Result<JournalText> parse_journal(std::string_view text) {
  JournalText journal;
  const Error foreign{"is no journal of plumb"};
  for (std::uint32_t number = 1; journal.size < text.size(); ++number) {
    const std::string_view rest = text.substr(journal.size);
    const std::size_t length = rest.find('\n');
    const bool is_last = length == std::string_view::npos || length + 1 == rest.size();
    const std::string_view line = rest.substr(0, length);
    const bool is_ended = length != std::string_view::npos;
    if (number == 1 && !may_be_first(line, is_ended)) return foreign;
    const bool whole = is_ended && is_whole(line);
    if (!whole && is_last) return journal;
    const auto members = whole ? members_of(line, number == 1 ? kHeadNames : kLineNames) : std::nullopt;
    if (!members)
      return Error{"this line was changed or damaged; without it, its piece would be done again",
                   {number, 1}};
    if (number == 1) {
      journal.head = {(*members)[0], (*members)[1], (*members)[2]};
    } else {
      journal.lines.push_back({(*members)[0], (*members)[1], (*members)[2]});
    }
    journal.size += length + 1;
  }
  return journal;
}

Result<JournalText> read_journal(const std::string& path) {
  auto file = InputFile::open(path);
  if (!file) return file.error();
  std::string text;
  if (!file->is_mapped()) {
    if (auto status = file->read(text, ~std::size_t{0}); !status) return status.error();
  }
  auto journal = parse_journal(file->is_mapped() ? file->mapped() : text);
  if (journal) return journal;
  Error error = journal.error();
  error.file = path;
  return error;
}

std::string program_in_journal(std::string_view name) {
  return fmt::format("{} {} ({})", name, kVersion, content_hash("/proc/self/exe").value_or("unknown"));
}

std::optional<std::string> content_hash(const std::string& path) {
  const auto text_of = [](std::string_view content) {
    const Hash128 hash = hash128(content);
    return fmt::format("{:016x}{:016x}", hash.high, hash.low);
  };
  thread_local std::string content;
  if (read_small(path, content)) return text_of(content);
  auto file = InputFile::open(path);
  if (!file) return std::nullopt;
  if (file->is_mapped()) return text_of(file->mapped());
  content.clear();
  if (!file->read(content, ~std::size_t{0})) return std::nullopt;
  return text_of(content);
}

Journal::Journal(Journal&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      found_(std::move(other.found_)),
      status_(std::move(other.status_)),
      next_sync_(other.next_sync_) {}

Journal::~Journal() {
  if (descriptor_ >= 0) close(descriptor_);
}

Error Journal::failure(std::string_view what) const {
  return {fmt::format("cannot {} the journal: {}", what, std::strerror(errno)), {}, path_};
}

// The lock is the process's: its children have none, and it goes with it. It would also go with any other descriptor of the file.
Result<Journal> Journal::open(const std::string& path) {
  constexpr mode_t kMode = 0666;
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, kMode);
  Journal journal(path, descriptor);
  if (descriptor < 0) return journal.failure("open");
  struct stat about {};
  if (fstat(descriptor, &about) != 0) return journal.failure("read");
  if (!S_ISREG(about.st_mode)) return Error{"is no regular file, as a journal has to be", {}, path};
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  if (fcntl(descriptor, F_SETLK, &lock) != 0 && (errno == EAGAIN || errno == EACCES))
    return Error{"another process is writing this journal", {}, path};
  if (auto read = journal.read_all(); !read) return read.error();
  return journal;
}

Status Journal::read_all() {
  constexpr std::size_t kChunk = std::size_t{1} << 20U;
  std::string text;
  for (ssize_t got = 1; got != 0;) {
    const std::size_t before = text.size();
    text.resize(before + kChunk);
    got = pread(descriptor_, text.data() + before, kChunk, static_cast<off_t>(before));
    if (got < 0 && errno != EINTR) return failure("read");
    text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }
  auto found = parse_journal(text);
  if (found) {
    found_ = std::move(found).value();
    return Ok{};
  }
  Error error = found.error();
  error.file = path_;
  return error;
}

Status Journal::begin(const JournalHead& head) {
  if (ftruncate(descriptor_, static_cast<off_t>(found_.size)) != 0) return failure("write");
  if (found_.head) return Ok{};
  if (auto written = write_line(line_of(head)); !written) return written;
  if (auto synced = sync(); !synced) return synced;
  sync_folder(path_);
  return Ok{};
}

Status Journal::append(const JournalLine& line) {
  if (!status_) return status_;
  status_ = write_line(line_of(line));
  if (status_ && Clock::now() >= next_sync_) status_ = sync();
  return status_;
}

Status Journal::write_line(const std::string& line) {
  std::string_view rest = line;
  while (!rest.empty()) {
    const ssize_t written = write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) return failure("write");
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok{};
}

Status Journal::sync() {
  const auto begin = Clock::now();
  if (fdatasync(descriptor_) != 0 && errno != EINVAL && errno != EROFS) return failure("write");
  const auto end = Clock::now();
  next_sync_ = end + std::chrono::duration_cast<Clock::duration>((end - begin) / kSyncShare);
  return Ok{};
}

}  // namespace plumb
