#include "testing/progress_lines.hpp"

#include <unistd.h>

#include <chrono>
#include <utility>

namespace plumb::testing {

ProgressLines::ProgressLines(std::string line) : line_(std::move(line)), thread_([this] { live(); }) {}

ProgressLines::~ProgressLines() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  thread_.join();
}

void ProgressLines::tell(const std::string& line) {
  const std::scoped_lock lock(mutex_);
  line_ = line;
}

void ProgressLines::live() {
  std::unique_lock lock(mutex_);
  for (std::chrono::seconds wait(10); !over_.wait_for(lock, wait, [this] { return is_over_; }); wait *= 2) {
    const std::string line = line_ + "\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
  }
}

}  // namespace plumb::testing
