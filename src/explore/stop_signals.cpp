#include "explore/stop_signals.hpp"

#include <cstdint>
#include <ctime>

namespace plumb::engine {
namespace {

std::atomic<bool> g_asked{false};
std::atomic<std::int64_t> g_asked_at{0};  // milliseconds

// coreutils' timeout asks the program and then its whole group, so the program twice: that is one request.
constexpr std::int64_t kOneRequest = 500;

std::int64_t milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
}

void on_signal(int signal) {
  const std::int64_t now = milliseconds();
  if (!g_asked.exchange(true)) {
    g_asked_at = now;
    return;
  }
  if (now - g_asked_at < kOneRequest) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

StopSignals::StopSignals() {
  struct sigaction action {};
  action.sa_handler = &on_signal;
  action.sa_flags = SA_RESTART;  // what is read or written goes on
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

const std::atomic<bool>* StopSignals::flag() { return &g_asked; }

}  // namespace plumb::engine
