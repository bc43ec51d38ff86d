#include "cli/interrupt.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <utility>

#include "base/stop_request.hpp"

namespace plumb::cli {
namespace {

constexpr int kGrace = 600;  // milliseconds; leaves room below the second that is promised
constexpr int kForEver = -1;

sigset_t both_signals() {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  return both;
}

// Whether one of them can be read in time; a negative one never can.
bool wait_for(int descriptor, int other, int milliseconds) {
  using Clock = std::chrono::steady_clock;
  pollfd wanted[2] = {{descriptor, POLLIN, 0}, {other, POLLIN, 0}};
  const auto end = Clock::now() + std::chrono::milliseconds(milliseconds);
  for (;;) {
    const int ready = poll(wanted, 2, milliseconds);
    if (ready >= 0 || errno != EINTR) return ready > 0;
    if (milliseconds == kForEver) continue;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now()).count();
    milliseconds = static_cast<int>(std::max(left, decltype(left){0}));
  }
}

}  // namespace

// No thread takes the signals but the watchdog, which waits for them as for any other input: whatever the
// others are doing, and whatever they must not be interrupted in.
Interrupt::Interrupt(std::function<void()> give_up) : give_up_(std::move(give_up)) {
  const sigset_t both = both_signals();
  pthread_sigmask(SIG_BLOCK, &both, &mask_before_);
  signals_ = signalfd(-1, &both, SFD_CLOEXEC | SFD_NONBLOCK);
  over_ = eventfd(0, EFD_CLOEXEC);
  watchdog_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  const std::uint64_t one = 1;
  while (write(over_, &one, sizeof one) < 0 && errno == EINTR) {
  }
  watchdog_.join();
  close(over_);
  close(signals_);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool Interrupt::requested() { return StopRequest::asked(); }

const std::atomic<bool>* Interrupt::flag() { return StopRequest::flag(); }

void Interrupt::watch() {
  const sigset_t both = both_signals();
  wait_for(signals_, over_, kForEver);
  signalfd_siginfo which = {};
  if (read(signals_, &which, sizeof which) != sizeof which) return;
  StopRequest::note();
  // The next one finds this thread, or, when this object is gone, any other.
  struct sigaction again {};
  again.sa_handler = &StopRequest::on_signal;
  again.sa_flags = SA_RESTART;
  sigaction(SIGINT, &again, nullptr);
  sigaction(SIGTERM, &again, nullptr);
  pthread_sigmask(SIG_UNBLOCK, &both, nullptr);
  if (!wait_for(over_, -1, kGrace)) give_up_();
}

}  // namespace plumb::cli
