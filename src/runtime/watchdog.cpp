#include "runtime/watchdog.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "runtime/fiber.hpp"
#include "runtime/real.hpp"
#include "runtime/signals.hpp"
#include "runtime/system_calls.hpp"

namespace plumb::runtime {
namespace {

using Time = std::chrono::steady_clock;

constexpr int kInterrupt = SIGVTALRM;  // which the engine has taken anyway; told from its timer by the sender
constexpr auto kLook = std::chrono::milliseconds(50);
constexpr int kLooksIdle = 20;  // before it sleeps until it is needed: explorations follow one another
constexpr Seconds kGrace{0.3};  // for an execution to end by itself
constexpr Seconds kGraceOnRequest{0.1};  // where a person waits at a terminal
constexpr Seconds kUnheard{0.4};         // for the interrupt to arrive: else signals are blocked
constexpr Seconds kPatience{2.5};        // for all else, after a deadline
constexpr Seconds kPatienceOnRequest{0.7};

std::atomic<bool> g_over{false};
// Interrupts that were sent, and that arrived; never more than one is on its way.
std::atomic<unsigned> g_sent{0};
std::atomic<unsigned> g_arrived{0};

// "0 0x3 0x7ffd… …": the number of the call and its arguments; "running", or "-1 …", where it is in none.
std::string system_call_of(pid_t thread) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%d/syscall", static_cast<int>(thread));
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  char text[32] = {};
  const ssize_t size = read(file, text, sizeof text - 1);
  close(file);
  if (size <= 0 || text[0] < '0' || text[0] > '9') return {};
  return system_call_name(std::atol(text));
}

class Watcher {
 public:
  Watcher() {
    g_arrived = g_sent.load();
    FindingWords::forget();
  }

  // Of this process: the child of a fork has no other thread than the one that forked.
  static Watcher& here() {
    static Watcher* watcher = nullptr;  // never destroyed: its thread outlives main's statics
    if (watcher == nullptr || watcher->process_ != getpid()) watcher = new Watcher;
    return *watcher;
  }

  void begin(const Control& control, WatchTerms terms) {
    const std::scoped_lock lock(mutex_);
    control_ = &control;
    terms_ = std::move(terms);
    begun_ = moved_ = Time::now();
    moves_ = 0;
    next_note_ = terms_.note_after;
    over_since_.reset();
    g_over = false;
    idle_ = 0;
    look_at_clock(begun_);
    if (!started_) start();
    if (asleep_) wake_.notify_one();
  }

  void end() {
    const std::scoped_lock lock(mutex_);
    look_at_clock(Time::now());
    control_ = nullptr;
    terms_ = {};
    // A signal that is on its way must not find that its handler is gone.
    for (int i = 0; i < 1'000 && g_arrived != g_sent; ++i) usleep(100);
  }

  Standstill standstill() {
    const std::scoped_lock lock(mutex_);
    return standstill_;
  }

 private:
  void start() {
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the program's own threads
    started_ = real_create_detached(
        [](void* self) -> void* {
          static_cast<Watcher*>(self)->live();
          return nullptr;
        },
        this);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

  void live() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (control_ != nullptr) look();
      if (control_ == nullptr && ++idle_ > kLooksIdle) {
        asleep_ = true;
        wake_.wait(lock, [this] { return control_ != nullptr; });
        asleep_ = false;
      }
      wake_.wait_for(lock, kLook);
    }
  }

  void look() {
    const auto now = Time::now();
    // The other thread writes them plainly, as it has to at every step; here it is enough to see that they change.
    const std::uint64_t moves = control_->steps();
    if (moves != moves_ || __atomic_load_n(&g_control, __ATOMIC_RELAXED) == nullptr) {
      moves_ = moves;
      moved_ = now;
      next_note_ = terms_.note_after;
    }
    look_at_clock(now);
    if (FindingWords::now() && !asked()) {
      moved_ = now;
      if (over_since_) over_since_ = now;
    } else if (over_since_) {
      const Seconds since = now - *over_since_;
      if (since > (asked() ? kGraceOnRequest : kGrace)) interrupt(now);
      const bool unheard = g_arrived != g_sent && now - sent_ > kUnheard;
      if ((unheard || since > (asked() ? kPatienceOnRequest : kPatience)) && terms_.cannot_end)
        terms_.cannot_end(where(now));
    } else if (next_note_ && now - moved_ >= *next_note_) {
      *next_note_ *= 2;
      if (!terms_.note) return;
      const WithoutTicks quiet;  // to find words for it may take a while
      terms_.note(where(now));
    }
  }

  [[nodiscard]] bool asked() const { return terms_.stop != nullptr && terms_.stop->load(); }

  void look_at_clock(Time::time_point now) {
    if (over_since_) return;
    if (!asked() && (!terms_.timeout || now - begun_ < *terms_.timeout)) return;
    over_since_ = now;
    g_over = true;
  }

  [[nodiscard]] pid_t watched() const { return Fibers::instance().carrier(control_->running()); }
  [[nodiscard]] Standstill where(Time::time_point now) const {
    return {.seconds = Seconds(now - moved_).count(), .system_call = system_call_of(watched())};
  }

  void interrupt(Time::time_point now) {
    if (g_arrived != g_sent) return;
    standstill_ = where(now);
    sent_ = now;
    ++g_sent;
    if (raw_syscall(SYS_tgkill, process_, watched(), kInterrupt) != 0) --g_sent;
  }

  const pid_t process_ = getpid();
  bool started_ = false;
  std::mutex mutex_;  // of what follows
  std::condition_variable wake_;
  const Control* control_ = nullptr;  // null: there is nothing to watch
  WatchTerms terms_;
  Time::time_point begun_;
  Time::time_point moved_;  // when a step was last seen
  std::uint64_t moves_ = 0;
  std::optional<Seconds> next_note_;
  std::optional<Time::time_point> over_since_;
  Time::time_point sent_;  // when the last interrupt was
  Standstill standstill_;
  int idle_ = 0;
  bool asleep_ = false;
};

}  // namespace

Watchdog::Watchdog(const Control& control, WatchTerms terms) {
  Watcher::here().begin(control, std::move(terms));
}
Watchdog::~Watchdog() { Watcher::here().end(); }
bool Watchdog::over() { return g_over.load(std::memory_order_relaxed); }
const std::atomic<bool>* Watchdog::over_flag() { return &g_over; }
Standstill Watchdog::standstill() { return Watcher::here().standstill(); }

void on_interrupt() {
  const bool wanted = g_arrived != g_sent;
  g_arrived = g_sent.load();
  if (wanted && exploring()) g_control->interrupt();
}

}  // namespace plumb::runtime
