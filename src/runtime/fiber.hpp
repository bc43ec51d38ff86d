// Threads under exploration as fibers: a stack of our own, and the thread-local storage of a real thread that is parked
// for that purpose. A switch saves six registers and moves the FS base (`wrfsbase`, about 20 ns), so thread_local,
// errno, pthread_self and exceptions in flight are those of a real thread.
//
// Where the processor or kernel has no FSGSBASE the parked threads run themselves, one at a time, and hand over.
#pragma once

#include <cstdint>
#include <vector>

#include <pthread.h>

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

  // The fiber will run entry(fiber) when it is next switched to; its thread-local storage is as new.
  void reset(int fiber, Entry entry);
  void enter(int fiber);              // from the caller's context; returns when a fiber leaves
  void change(int from, int to);      // between fibers
  [[noreturn]] void leave(int from);  // back to the caller's context; the fiber is not resumed

  pthread_t thread(int fiber) const;
  static bool on_stack(const void* address);  // of some fiber
  int fiber_of(pthread_t thread) const;       // -1: not ours

 private:
  struct Context {
    void* stack_pointer = nullptr;
    std::uint64_t fs_base = 0;
  };
  struct Home;  // a parked thread, with its thread-local storage

  friend void home_main(Home& home);

  std::vector<Home*> homes_;
  Context caller_;
  int caller_turn_ = 0;  // a futex, for real threads
  Backend backend_ = Backend::kFibers;
};

}  // namespace plumb::runtime
