#include "cli/line_source.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "cli/interrupt.hpp"
#include "record/binary_block.hpp"

namespace plumb::cli {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 18U;
constexpr std::size_t kLongestLine = std::size_t{1} << 28U;
constexpr int kPatience = 100;  // milliseconds between two looks whether to stop
constexpr auto kGrowth = std::chrono::milliseconds(50);

bool is_compressed(std::string_view head) {
  return head.starts_with("\x1f\x8b") || head.starts_with("\x28\xb5\x2f\xfd");
}

}  // namespace

Result<LineSource> LineSource::open(const std::string& path, bool follow) {
  if (path == "-") return LineSource(path, STDIN_FILENO, false);
  const int descriptor =
      ::open(path.c_str(), O_RDONLY | O_CLOEXEC);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  if (descriptor < 0) return Error{fmt::format("cannot open: {}", std::strerror(errno)), {}, path};
  struct stat status = {};
  if (fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    close(descriptor);
    return Error{"a folder; expected a file or '-'", {}, path};
  }
  return LineSource(path, descriptor, follow);
}

LineSource::LineSource(std::string path, int descriptor, bool follow)
    : path_(std::move(path)), descriptor_(descriptor), follow_(follow), buffer_(kChunk + kSlack, '\0') {}

LineSource::LineSource(LineSource&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, STDIN_FILENO)),
      follow_(other.follow_),
      buffer_(std::move(other.buffer_)) {}

LineSource::~LineSource() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

Result<LineSource::Next> LineSource::next() {
  while (true) {
    const char* from = buffer_.data() + searched_;
    if (const void* found = std::memchr(from, '\n', end_ - searched_)) {
      const auto at = static_cast<std::size_t>(static_cast<const char*>(found) - buffer_.data());
      std::size_t line_end = at;
      if (line_end > begin_ && buffer_[line_end - 1] == '\r') --line_end;
      text_ = std::string_view(buffer_).substr(begin_, line_end - begin_);
      begin_ = searched_ = at + 1;
      ++number_;
      return Next::kLine;
    }
    searched_ = end_;
    const bool is_first = read_ == 0;
    auto more = read_more();
    if (!more) return more.error();
    if (*more == More::kStopped) return Next::kStopped;
    if (is_first && end_ > 0 && buffer_[0] == kBinaryMagic[0]) return Next::kBinary;
    if (*more == More::kSome) continue;
    if (begin_ == end_) return Next::kEnd;
    text_ = std::string_view(buffer_).substr(begin_, end_ - begin_);  // the last line has no end
    begin_ = searched_ = end_;
    ++number_;
    return Next::kLine;
  }
}

Result<std::string> LineSource::rest() {
  std::string all;
  while (true) {
    all.append(buffer_, begin_, end_ - begin_);
    begin_ = searched_ = end_ = 0;
    const auto more = read_more();
    if (!more) return more.error();
    if (*more == More::kStopped) return Error{"interrupted", {}, path_};
    if (*more == More::kNone) return all;
  }
}

Result<LineSource::More> LineSource::read_more() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    searched_ -= begin_;
    begin_ = 0;
  }
  if (end_ > kLongestLine) return Error{"a line of more than 2^28 bytes", {number_ + 1, 1}, path_};
  if (buffer_.size() < end_ + kChunk / 2 + kSlack) buffer_.resize(2 * buffer_.size());
  while (true) {
    if (Interrupt::requested()) return More::kStopped;
    pollfd wanted = {descriptor_, POLLIN, 0};
    const int ready = poll(&wanted, 1, kPatience);
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    const ssize_t got = read(descriptor_, buffer_.data() + end_, buffer_.size() - kSlack - end_);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return cannot_read();
    if (got == 0 && !follow_) return More::kNone;
    if (got == 0) {
      auto grown = wait_for_growth();
      if (!grown || *grown == More::kStopped) return grown;
      continue;
    }
    if (read_ == 0 && is_compressed({buffer_.data(), static_cast<std::size_t>(got)}))
      return Error{"compressed; expected text (zcat or zstdcat can make it so)", {}, path_};
    end_ += static_cast<std::size_t>(got);
    read_ += static_cast<std::uint64_t>(got);
    return More::kSome;
  }
}

Result<LineSource::More> LineSource::wait_for_growth() {
  std::this_thread::sleep_for(kGrowth);
  struct stat status = {};
  if (fstat(descriptor_, &status) != 0) return cannot_read();
  if (S_ISREG(status.st_mode) && static_cast<std::uint64_t>(status.st_size) < read_)
    return Error{"the file has become shorter; expected it to grow", {}, path_};
  return Interrupt::requested() ? More::kStopped : More::kSome;
}

Error LineSource::cannot_read() const {
  return Error{fmt::format("cannot read: {}", std::strerror(errno)), {}, path_};
}

}  // namespace plumb::cli
