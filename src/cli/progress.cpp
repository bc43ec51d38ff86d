#include "cli/progress.hpp"

#include <chrono>
#include <utility>

namespace plumb::cli {

Progress::Progress(Console& console, bool wanted, std::function<std::string()> compose)
    : console_(console), compose_(std::move(compose)) {
  if (!wanted) return;
  ticker_ = std::thread([this] { Console::has_terminal_for_progress() ? tick() : write_lines(); });
}

Progress::~Progress() {
  if (!ticker_.joinable()) return;
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  ticker_.join();
}

void Progress::tick() {
  auto wait = std::chrono::milliseconds(1000);
  std::unique_lock lock(mutex_);
  while (!over_.wait_for(lock, wait, [this] { return is_over_; })) {
    wait = std::chrono::milliseconds(200);
    console_.progress(compose_());
  }
}

void Progress::write_lines() {
  std::unique_lock lock(mutex_);
  for (std::chrono::seconds wait(10); !over_.wait_for(lock, wait, [this] { return is_over_; }); wait *= 2)
    console_.error("plumb: " + compose_());
}

}  // namespace plumb::cli
