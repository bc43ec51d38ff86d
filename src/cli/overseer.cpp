#include "cli/overseer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <chrono>
#include <string_view>
#include <utility>

namespace plumb::cli {

Overseer::Overseer(std::function<void()> look) : look_(std::move(look)), thread_([this] { watch(); }) {}

Overseer::~Overseer() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  thread_.join();
}

void Overseer::watch() {
  constexpr auto kOften = std::chrono::milliseconds(5);
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, kOften, [this] { return is_over_; })) {
    lock.unlock();
    look_();
    lock.lock();
  }
}

std::size_t memory_in_use() {
  const int file = ::open("/proc/self/statm", O_RDONLY | O_CLOEXEC);  // in pages: all, then what is in memory
  if (file < 0) return 0;
  std::array<char, 128> buffer{};
  const ssize_t got = ::read(file, buffer.data(), buffer.size());
  ::close(file);
  std::string_view text(buffer.data(), got < 0 ? 0 : static_cast<std::size_t>(got));
  text.remove_prefix(std::min(text.find(' ') + 1, text.size()));
  std::size_t pages = 0;
  std::from_chars(text.data(), text.data() + text.size(), pages);
  return pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace plumb::cli
