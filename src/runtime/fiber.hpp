// Threads under exploration as fibers: a stack of our own, as large as that of a thread would be and mapped as it is used, and the
// thread-local storage of a real thread that is parked for that purpose. A switch saves six registers and moves the FS base (`wrfsbase`, about 20 ns), so thread_local,
// errno, pthread_self and exceptions in flight are those of a real thread.
//
// Where the processor or kernel has no FSGSBASE the parked threads run themselves, one at a time, and hand over.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include <pthread.h>
#include <unistd.h>

#include "runtime/control.hpp"

namespace plumb::runtime {

enum class Backend : std::uint8_t { kFibers, kThreads };

bool fibers_supported();  // FSGSBASE, as the kernel says it

// All fibers of the process: number 0 … kMaxThreads − 1, and the caller's own context they return to.
class Fibers {
 public:
  using Entry = void (*)(int fiber);

  static Fibers& instance();

  // Parks `count` threads; once for each backend. False: the system gave none.
  bool prepare(int count, Backend backend);

  // In the child of a fork only the caller's thread lives, and the C library takes the storage of the others back: parks threads
  // anew. prepare() sees to it by itself.
  bool after_fork();

  // The fiber will run entry(fiber) when it is next switched to; its thread-local storage is as new. `stack`: how many bytes its
  // stack has, 0: as many as threads have unless they ask. False: it cannot have so many.
  bool reset(int fiber, Entry entry, std::size_t stack);
  void enter(int fiber);           // from the caller's context; returns when a fiber leaves
  void change(int from, int to) {  // between fibers
    if (backend_ == Backend::kFibers) {
      switch_context(contexts_[static_cast<std::size_t>(from)], contexts_[static_cast<std::size_t>(to)]);
    } else {
      hand_over(from, to);
    }
  }
  [[noreturn]] void leave(int from);  // back to the caller's context; the fiber is not resumed
  // The same for a fiber that is; where it then stands can be asked, kept, and set again. Not with real threads.
  void pause(int from) { switch_context(contexts_[static_cast<std::size_t>(from)], caller_); }
  void* stack_pointer(int fiber) const { return contexts_[static_cast<std::size_t>(fiber)].stack_pointer; }
  void set_stack_pointer(int fiber, void* to) {
    contexts_[static_cast<std::size_t>(fiber)].stack_pointer = to;
  }
  // Where enter() came from: what a fiber goes back to by itself (side_stack.hpp).
  const void* entered_from() const { return &caller_; }
  // What a fiber has of its own besides its stack: thread_local variables of the program, those of the C++ library (exceptions in
  // flight, what std::call_once calls), errno.
  struct Storage {
    char* variables = nullptr;
    std::size_t size = 0;
    char* of_library = nullptr;
    std::size_t size_of_library = 0;
    int* error = nullptr;
  };
  Storage storage(int fiber) const;
  void refresh_library_variables(int fiber);  // as in a fresh thread

  pthread_t thread(int fiber) const;
  static bool on_stack(const void* address);  // of some fiber
  // Whether to touch the address means that the fiber's stack is used up; then how many bytes it has, else 0.
  std::size_t overflown(int fiber, const void* address) const;
  int fiber_of(pthread_t thread) const;  // -1: not ours
  pid_t carrier(int fiber) const;        // the thread, as the kernel knows it, that runs the fiber

 private:
  struct Context {
    void* stack_pointer = nullptr;
    std::uint64_t fs_base = 0;
  };
  struct Home;  // a parked thread, with its thread-local storage

  // Inlined where it is used, and it jumps instead of returning: after a return the processor would expect the callers
  // of the fiber that was left. Below the red zone: rbp, rbx and where to go on; the compiler keeps nothing elsewhere.
  static void switch_context(Context& from, Context& to) {
    Context* left = &from;
    Context* entered = &to;
    asm volatile(
        "leaq -128(%%rsp), %%rsp\n\t"
        "pushq %%rbp\n\t"
        "pushq %%rbx\n\t"
        "leaq 1f(%%rip), %%rax\n\t"
        "pushq %%rax\n\t"
        "movq %%rsp, (%%rdi)\n\t"
        "movq (%%rsi), %%rsp\n\t"
        "movq 8(%%rsi), %%rax\n\t"
        "wrfsbase %%rax\n\t"
        "popq %%rax\n\t"
        "jmp *%%rax\n\t"
        "1: popq %%rbx\n\t"
        "popq %%rbp\n\t"
        "leaq 128(%%rsp), %%rsp\n\t"
        : "+D"(left), "+S"(entered)
        :
        : "rax", "rcx", "rdx", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", "memory", "cc", "xmm0",
          "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12",
          "xmm13", "xmm14", "xmm15");
  }
  void hand_over(int from, int to);  // real threads
  bool park(Home& home);
  static bool map_stack(Home& home, std::size_t size);

  friend void home_main(Home& home);

  std::vector<Home*> homes_;
  std::array<Context, kMaxThreads> contexts_;
  Context caller_;
  pid_t process_ = getpid();  // that parked the homes
  pid_t caller_thread_ = 0;
  int caller_turn_ = 0;            // a futex, for real threads
  std::size_t default_stack_ = 0;  // bytes
  Backend backend_ = Backend::kFibers;
};

}  // namespace plumb::runtime
