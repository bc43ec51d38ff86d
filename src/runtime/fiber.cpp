#include "runtime/fiber.hpp"

#include <elf.h>
#include <link.h>
#include <linux/futex.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cxxabi.h>
#include <algorithm>
#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <utility>

#include "runtime/control.hpp"
#include "runtime/real.hpp"

// Where a new stack goes on: on it stand the function to call and its argument. Unwinding ends here.
asm(R"(
    .text
    .type plumb_fiber_start, @function
plumb_fiber_start:
    .cfi_startproc
    .cfi_undefined rip
    popq %rax
    popq %rdi
    xorl %ebp, %ebp
    call *%rax
    ud2
    .cfi_endproc
    .size plumb_fiber_start, .-plumb_fiber_start
)");
extern "C" void plumb_fiber_start();

namespace plumb::runtime {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uintptr_t kStacks = 0x6b00'0000'0000;  // the same place in every process: addresses repeat
// Addresses for each stack, which is the upper end of them: what is below stays unmapped, and to come there is an overflow. Tops
// that lie a power of two apart would contend for the same few places of the processor's caches, hence the page more.
constexpr std::size_t kSlot = (std::size_t{1} << 30U) + kPage;
constexpr std::size_t kEngineRoom = std::size_t{256}
                                    << 10U;  // what the engine's own calls need on each stack

constexpr unsigned long kHwcap2Fsgsbase = 2;

struct TlsBlock {
  std::size_t size =
      0;  // bytes right below the FS base that belong to the program's own thread_local variables
};

TlsBlock program_tls() {
  TlsBlock block;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type != PT_TLS) continue;
          const std::size_t align = header.p_align == 0 ? 1 : header.p_align;
          static_cast<TlsBlock*>(out)->size = (header.p_memsz + align - 1) / align * align;
        }
        return 1;  // only the first object: the program itself
      },
      &block);
  return block;
}

// Those of the C++ library, in the thread that asks.
std::pair<char*, std::size_t> find_library_tls() {
  std::pair<char*, std::size_t> found{nullptr, 0};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        if (std::strstr(info->dlpi_name, "/libstdc++.so") == nullptr || info->dlpi_tls_data == nullptr)
          return 0;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          if (info->dlpi_phdr[i].p_type == PT_TLS)
            *static_cast<std::pair<char*, std::size_t>*>(out) = {static_cast<char*>(info->dlpi_tls_data),
                                                                 info->dlpi_phdr[i].p_memsz};
        }
        return 1;
      },
      &found);
  return found;
}

std::uintptr_t slot_of(int fiber) { return kStacks + static_cast<std::size_t>(fiber) * kSlot; }

// As many bytes as the system gives to a thread that does not ask: mostly RLIMIT_STACK.
std::size_t default_stack_size() {
  std::size_t size = std::size_t{8} << 20U;
  pthread_attr_t attributes;
  if (pthread_getattr_default_np(&attributes) == 0) {
    pthread_attr_getstacksize(&attributes, &size);
    pthread_attr_destroy(&attributes);
  }
  return std::min(size, kSlot - kEngineRoom - kPage);
}

Stack own_stack() {
  pthread_attr_t attributes;
  void* low = nullptr;
  std::size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_destroy(&attributes);
  }
  // What is above this frame is not the program's.
  return {reinterpret_cast<std::uintptr_t>(low),
          reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0))};
}

void wait_turn(int& turn) {
  while (__atomic_exchange_n(&turn, 0, __ATOMIC_ACQ_REL) == 0)
    raw_syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 0, nullptr);
}
void give_turn(int& turn) {
  __atomic_store_n(&turn, 1, __ATOMIC_RELEASE);
  raw_syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, nullptr);
}

}  // namespace

struct Fibers::Home {
  int number = 0;
  pthread_t thread = 0;
  pid_t kernel_thread = 0;
  std::size_t mapped = 0;      // bytes of its stack, from the upper end of its slot on
  std::vector<char> tls;       // how the program's thread_local variables look in a fresh thread
  void* exceptions = nullptr;  // the C++ runtime's record of exceptions in flight, two words
  int* error = nullptr;        // errno
  char* library_tls =
      nullptr;  // thread_local variables of the C++ library, and how they look in a fresh thread
  std::vector<char> fresh_library_tls;
  Entry entry = nullptr;
  int turn = 0;    // real threads: futexes
  int parked = 0;  // it gave up, and waits for new work
  bool running = false;
  bool abandoned = false;
  Stack own{};  // the stack of the thread itself
  std::jmp_buf base{};

  char* tls_begin() const { return reinterpret_cast<char*>(thread) - tls.size(); }
};

// Life of a parked thread: it lends its thread-local storage, and with the fallback also runs.
void home_main(Fibers::Home& home) {
  Fibers& fibers = Fibers::instance();
  install_alternate_stack();
  home.exceptions = abi::__cxa_get_globals();
  home.error = &errno;
  const auto [library_tls, library_tls_size] = find_library_tls();
  home.library_tls = library_tls;
  home.fresh_library_tls.assign(library_tls, library_tls + library_tls_size);
  home.tls.resize(program_tls().size);
  home.thread = real_self();
  home.kernel_thread = gettid();
  t_fiber = home.number;  // from here on hooks take this thread for a fiber
  std::memcpy(home.tls.data(), home.tls_begin(), home.tls.size());
  home.own = own_stack();
  give_turn(fibers.caller_turn_);
  for (;;) {
    if (setjmp(home.base) == 0) {
      wait_turn(home.turn);
      home.running = true;
      home.entry(home.number);
    }
    home.running = false;
    const bool abandoned = std::exchange(home.abandoned, false);
    give_turn(abandoned ? home.parked : fibers.caller_turn_);
  }
}

bool fibers_supported() { return (getauxval(AT_HWCAP2) & kHwcap2Fsgsbase) != 0; }

Fibers& Fibers::instance() {
  static auto* fibers = new Fibers;  // never destroyed: parked threads outlive main's statics
  return *fibers;
}

bool Fibers::prepare(int count, Backend backend) {
  const EngineScope in_engine;  // the homes begin to look like fibers before anybody controls them
  backend_ = backend;
  caller_.fs_base = reinterpret_cast<std::uint64_t>(real_self());
  caller_thread_ = gettid();
  default_stack_ = default_stack_size();
  if (process_ != getpid() && !after_fork()) return false;
  while (static_cast<int>(homes_.size()) < count) {
    auto* home = new Home;
    home->number = static_cast<int>(homes_.size());
    if (!park(*home)) return false;
    homes_.push_back(home);
  }
  return true;
}

// Pages come when they are touched, and stay for the next execution: to give them back would cost more than all of its steps. No
// huge ones: the first touch would have to clear two megabytes.
bool Fibers::map_stack(Home& home, std::size_t size) {
  size = (size + kPage - 1) / kPage * kPage;
  if (size == home.mapped) return true;
  if (size > kSlot - kPage) return false;
  const std::uintptr_t top = slot_of(home.number) + kSlot;
  if (size < home.mapped) {
    munmap(reinterpret_cast<void*>(top - home.mapped), home.mapped - size);
  } else {
    void* want = reinterpret_cast<void*>(top - size);
    const std::size_t more = size - home.mapped;
    if (mmap(want, more, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK | MAP_FIXED_NOREPLACE, -1, 0) != want)
      return false;
    madvise(want, more, MADV_NOHUGEPAGE);
  }
  home.mapped = size;
  return true;
}

bool Fibers::park(Home& home) {
  const bool made = real_create_detached(
      [](void* self) -> void* {
        home_main(*static_cast<Home*>(self));
        return nullptr;
      },
      &home);
  if (!made) return false;
  wait_turn(caller_turn_);
  contexts_[static_cast<std::size_t>(home.number)].fs_base = reinterpret_cast<std::uint64_t>(home.thread);
  return true;
}

bool Fibers::after_fork() {
  const EngineScope in_engine;
  process_ = getpid();
  caller_thread_ = gettid();
  for (Home* home : homes_) {
    home->turn = home->parked = 0;
    home->running = home->abandoned = false;
    if (!park(*home)) return false;
  }
  return true;
}

bool Fibers::reset(int fiber, Entry entry, std::size_t stack) {
  Home& home = *homes_[static_cast<std::size_t>(fiber)];
  if (home.running) {  // a real thread that stands in the middle of an execution that was given up
    home.abandoned = true;
    give_turn(home.turn);
    wait_turn(home.parked);
  }
  home.entry = entry;
  const std::uintptr_t high = slot_of(fiber) + kSlot;
  if (backend_ == Backend::kThreads) {
    if (stack > default_stack_) return false;
    g_stacks[fiber] = home.own;
  } else {
    if (!map_stack(home, (stack == 0 ? default_stack_ : stack) + kEngineRoom)) return false;
    g_stacks[fiber] = {high - home.mapped, high};
  }
  std::memcpy(home.tls_begin(), home.tls.data(), home.tls.size());
  std::memset(home.exceptions, 0, 2 * sizeof(void*));
  // When the start has taken its three words the stack is 16-byte aligned, as a call wants it.
  if (backend_ == Backend::kThreads) return true;
  auto* top = reinterpret_cast<std::uint64_t*>(high) - 2;
  *--top = static_cast<std::uint64_t>(fiber);
  *--top = reinterpret_cast<std::uint64_t>(entry);
  *--top = reinterpret_cast<std::uint64_t>(&plumb_fiber_start);
  contexts_[static_cast<std::size_t>(fiber)].stack_pointer = top;
  return true;
}

void Fibers::enter(int fiber) {
  Home& home = *homes_[static_cast<std::size_t>(fiber)];
  if (backend_ == Backend::kFibers) {
    switch_context(caller_, contexts_[static_cast<std::size_t>(fiber)]);
  } else {
    give_turn(home.turn);
    wait_turn(caller_turn_);
  }
}

void Fibers::hand_over(int from, int to) {
  Home& old = *homes_[static_cast<std::size_t>(from)];
  give_turn(homes_[static_cast<std::size_t>(to)]->turn);
  wait_turn(old.turn);
  if (old.abandoned) longjmp(old.base, 1);
}

void Fibers::leave(int from) {
  Home& old = *homes_[static_cast<std::size_t>(from)];
  if (backend_ == Backend::kFibers) {
    switch_context(contexts_[static_cast<std::size_t>(from)], caller_);
  } else {
    longjmp(old.base, 1);
  }
  __builtin_unreachable();
}

bool Fibers::on_stack(const void* address) {
  if (reinterpret_cast<std::uintptr_t>(address) - kStacks < kMaxThreads * kSlot) return true;
  return std::ranges::any_of(g_stacks,
                             [&](const Stack& stack) { return stack.holds(address); });  // of a real thread
}

std::size_t Fibers::overflown(int fiber, const void* address) const {
  const Stack& stack = g_stacks[fiber];
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  // Below the stack of a real thread there is a page that guards it; the C library counts it in or not.
  const std::uintptr_t first = backend_ == Backend::kFibers ? slot_of(fiber) : stack.low - kPage;
  const std::uintptr_t end = backend_ == Backend::kFibers ? stack.low : stack.low + kPage;
  if (at < first || at >= end) return 0;
  return stack.high - stack.low - (backend_ == Backend::kFibers ? kEngineRoom : 0);
}

Fibers::Storage Fibers::storage(int fiber) const {
  const Home& home = *homes_[static_cast<std::size_t>(fiber)];
  return {home.tls_begin(), home.tls.size(), home.library_tls, home.fresh_library_tls.size(), home.error};
}

void Fibers::refresh_library_variables(int fiber) {
  const Home& home = *homes_[static_cast<std::size_t>(fiber)];
  const auto& fresh = home.fresh_library_tls;
  if (!fresh.empty()) std::memcpy(home.library_tls, fresh.data(), fresh.size());
}

pthread_t Fibers::thread(int fiber) const { return homes_[static_cast<std::size_t>(fiber)]->thread; }

pid_t Fibers::carrier(int fiber) const {
  return backend_ == Backend::kFibers ? caller_thread_
                                      : homes_[static_cast<std::size_t>(fiber)]->kernel_thread;
}

int Fibers::fiber_of(pthread_t thread) const {
  for (const Home* home : homes_) {
    if (home->thread == thread) return home->number;
  }
  return -1;
}

}  // namespace plumb::runtime
