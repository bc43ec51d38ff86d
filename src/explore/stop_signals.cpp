#include "explore/stop_signals.hpp"

namespace plumb::engine {
namespace {

std::atomic<bool> g_asked{false};

void on_signal(int signal) {
  if (!g_asked.exchange(true)) return;
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
