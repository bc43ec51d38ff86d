#include "cli/interrupt.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <utility>

namespace plumb::cli {
namespace {

constexpr int kGrace = 600;  // milliseconds; leaves room below the second that is promised
constexpr int kForEver = -1;

std::atomic<bool> requested_flag = false;

sigset_t both_signals() {
  sigset_t both;
  sigemptyset(&both);
  sigaddset(&both, SIGINT);
  sigaddset(&both, SIGTERM);
  return both;
}

// Whether one of them can be read in time; a negative one never can.
bool wait_for(int descriptor, int other, int milliseconds) {
  pollfd wanted[2] = {{descriptor, POLLIN, 0}, {other, POLLIN, 0}};
  int ready = 0;
  do {
    ready = poll(wanted, 2, milliseconds);
  } while (ready < 0 && errno == EINTR);
  return ready > 0;
}

}  // namespace

// No thread takes the signals but the watchdog, which waits for them as for any other input: whatever the others are doing, and
// whatever they must not be interrupted in.
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

bool Interrupt::requested() { return requested_flag.load(std::memory_order_relaxed); }

const std::atomic<bool>* Interrupt::flag() { return &requested_flag; }

void Interrupt::watch() {
  const sigset_t both = both_signals();
  wait_for(signals_, over_, kForEver);
  signalfd_siginfo which = {};
  if (read(signals_, &which, sizeof which) != sizeof which) return;
  requested_flag = true;
  // The next one finds this thread, and kills.
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &both, nullptr);
  if (!wait_for(over_, -1, kGrace)) give_up_();
}

}  // namespace plumb::cli
