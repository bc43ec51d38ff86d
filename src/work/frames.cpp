#include "work/frames.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>

#include "base/little_endian.hpp"

namespace plumb::work {
namespace {

constexpr std::size_t kHead = sizeof(std::uint64_t);
constexpr std::size_t kPiece = 1U << 18U;

bool send_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(file, bytes.data(), bytes.size(), MSG_NOSIGNAL);  // who went away is no signal
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

bool send_frame(int file, std::string_view message) {
  std::string head(kHead, '\0');
  store_little(std::uint64_t{message.size()}, head.data());
  if (message.size() > kPiece) return send_all(file, head) && send_all(file, message);
  return send_all(file, head.append(message));
}

FrameReader::State FrameReader::read(std::string& message) {
  const std::size_t had = bytes_.size();
  std::size_t wanted = kHead;
  if (had >= kHead) wanted += load_little<std::uint64_t>(bytes_.data());
  const std::size_t piece = std::min(wanted - had, kPiece);
  bytes_.resize(had + piece);
  const ssize_t got = ::read(file_, bytes_.data() + had, piece);
  const bool gone = got == 0 || (got < 0 && errno != EINTR);
  bytes_.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (gone) return State::kGone;
  if (bytes_.size() < kHead) return State::kMore;
  if (bytes_.size() - kHead < load_little<std::uint64_t>(bytes_.data())) return State::kMore;
  message = bytes_.substr(kHead);
  bytes_.clear();
  return State::kWhole;
}

bool receive_frame(FrameReader& reader, std::string& message) {
  for (;;) {
    const FrameReader::State state = reader.read(message);
    if (state != FrameReader::State::kMore) return state == FrameReader::State::kWhole;
  }
}

}  // namespace plumb::work
