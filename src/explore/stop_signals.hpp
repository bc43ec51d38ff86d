// Ctrl-C and SIGTERM ask for the end (base/stop_request.hpp).
#pragma once

#include <atomic>
#include <csignal>

namespace plumb::engine {

// While one lives. At most one at a time.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // Set by the first signal.
  [[nodiscard]] static const std::atomic<bool>* flag();
  [[nodiscard]] static bool asked() { return flag()->load(std::memory_order_relaxed); }

 private:
  struct sigaction interrupt_ {};  // as they were
  struct sigaction terminate_ {};
};

}  // namespace plumb::engine
