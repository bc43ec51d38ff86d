#include "explore/stop_signals.hpp"

#include "base/stop_request.hpp"

namespace plumb::engine {

StopSignals::StopSignals() {
  struct sigaction action {};
  action.sa_handler = &StopRequest::on_signal;
  action.sa_flags = SA_RESTART;  // what is read or written goes on
  sigaction(SIGINT, &action, &interrupt_);
  sigaction(SIGTERM, &action, &terminate_);
}

StopSignals::~StopSignals() {
  sigaction(SIGINT, &interrupt_, nullptr);
  sigaction(SIGTERM, &terminate_, nullptr);
}

const std::atomic<bool>* StopSignals::flag() { return StopRequest::flag(); }

}  // namespace plumb::engine
