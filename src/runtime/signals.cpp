#include "runtime/signals.hpp"

#include <sys/time.h>
#include <ucontext.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <string>

#include "runtime/closed_code.hpp"
#include "runtime/control.hpp"
#include "runtime/end_of_process.hpp"
#include "runtime/fiber.hpp"
#include "runtime/real.hpp"
#include "runtime/watchdog.hpp"

namespace plumb::runtime {
namespace {

constexpr std::size_t kStack = std::size_t{64} << 10U;
constexpr unsigned kTicksASecond = 10;
unsigned g_watchdog = 0;
unsigned g_quiet_ticks = 0;
std::uint64_t g_last_steps = 0;

const char* crash_name(int signal) {
  switch (signal) {
    case SIGSEGV:
      return "segmentation fault";
    case SIGBUS:
      return "bus error";
    case SIGFPE:
      return "arithmetic fault";
    case SIGILL:
      return "illegal instruction";
    default:
      return "trap";
  }
}

// "8 MiB"
std::array<char, 32> as_text(std::size_t bytes) {
  constexpr std::size_t kKibi = 1024;
  std::array<char, 32> text{};
  const bool mebi = bytes % (kKibi * kKibi) == 0;
  std::snprintf(text.data(), text.size(), "%zu %s", mebi ? bytes / kKibi / kKibi : bytes / kKibi,
                mebi ? "MiB" : "KiB");
  return text;
}

void on_tick() {
  const std::uint64_t steps = g_control->steps();
  g_quiet_ticks = steps == g_last_steps && !FindingWords::now() ? g_quiet_ticks + 1 : 0;
  g_last_steps = steps;
}

void handle(int signal, siginfo_t* info, void* context) {
  const void* pc =
      reinterpret_cast<const void*>(static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_RIP]);
  if (signal == SIGVTALRM) {
    if (info->si_code == SI_TKILL) return on_interrupt();
    if (g_control != nullptr) on_tick();
    if (!exploring() || g_quiet_ticks < g_watchdog) return;
    g_quiet_ticks = 0;
    g_control->fail(FindingKind::kLivelock, "an endless loop without any scheduling point", pc);
  }
  if (signal == SIGSEGV && ClosedCode::open_for(pc)) return;
  if (const std::size_t size =
          t_fiber < 0 || g_control == nullptr ? 0 : Fibers::instance().overflown(t_fiber, info->si_addr);
      size != 0) {
    // Be it in a call of the engine: it was the code under test that used the stack up.
    const EngineScope in_engine;  // what follows is no text of the program
    char text[96];
    std::snprintf(text, sizeof text, "stack overflow: the stack of thread %d has %s", t_fiber,
                  as_text(size).data());
    g_control->fail(FindingKind::kCrash, text, pc);
  }
  if (!exploring()) {  // not the code under test: crash as usual
    std::signal(signal, SIG_DFL);
    std::raise(signal);
    return;
  }
  const EngineScope in_engine;
  char text[96];
  std::snprintf(text, sizeof text, "%s at address %p", crash_name(signal), info->si_addr);
  g_control->fail(FindingKind::kCrash, text, pc);
}

}  // namespace

void install_alternate_stack() {
  stack_t stack{};
  stack.ss_sp = new char[kStack];  // for the life of the thread
  stack.ss_size = kStack;
  sigaltstack(&stack, nullptr);
}

CatchSignals::CatchSignals(Seconds watchdog) {
  static thread_local const bool installed = (install_alternate_stack(), true);
  static_cast<void>(installed);
  watch_the_end();
  g_watchdog = static_cast<unsigned>(std::ceil(watchdog.count() * kTicksASecond));
  g_quiet_ticks = 0;
  struct sigaction action {};
  action.sa_sigaction = &handle;
  // A fiber is left from within the handler: nothing may stay blocked.
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &action, &saved_[i]);
  const timeval tick{.tv_sec = 0, .tv_usec = 1'000'000 / kTicksASecond};
  const itimerval ticks{.it_interval = tick, .it_value = tick};
  setitimer(ITIMER_VIRTUAL, &ticks, nullptr);
}

CatchSignals::~CatchSignals() {
  const itimerval off{};
  setitimer(ITIMER_VIRTUAL, &off, nullptr);
  for (std::size_t i = 0; i < std::size(kSignals); ++i) sigaction(kSignals[i], &saved_[i], nullptr);
}

WithoutTicks::WithoutTicks() {
  const itimerval off{};
  setitimer(ITIMER_VIRTUAL, &off, &saved_);
}
WithoutTicks::~WithoutTicks() { setitimer(ITIMER_VIRTUAL, &saved_, nullptr); }

}  // namespace plumb::runtime
