#include "cli/interrupt.hpp"

#include <semaphore.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <utility>

namespace plumb::cli {
namespace {

constexpr auto kGrace = std::chrono::milliseconds(600);  // leaves room below the second that is promised

// What a signal handler may touch.
std::atomic<bool> requested_flag = false;
sem_t wake;

extern "C" void on_signal(int signal) {
  if (requested_flag.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  const int saved = errno;
  sem_post(&wake);
  errno = saved;
}

void handle(void (*handler)(int)) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;  // a read in progress goes on: codecs need not know about signals
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt(std::function<void()> give_up) : give_up_(std::move(give_up)) {
  sem_init(&wake, 0, 0);
  handle(on_signal);
  watchdog_ = std::thread([this] { watch(); });
}

Interrupt::~Interrupt() {
  {
    const std::scoped_lock lock(mutex_);
    is_over_ = true;
  }
  over_.notify_all();
  sem_post(&wake);
  watchdog_.join();
  handle(SIG_DFL);
  sem_destroy(&wake);
}

bool Interrupt::requested() { return requested_flag.load(std::memory_order_relaxed); }

const std::atomic<bool>* Interrupt::flag() { return &requested_flag; }

void Interrupt::watch() {
  while (sem_wait(&wake) != 0 && errno == EINTR) {
  }
  std::unique_lock lock(mutex_);
  if (!over_.wait_for(lock, kGrace, [this] { return is_over_; })) give_up_();
}

}  // namespace plumb::cli
