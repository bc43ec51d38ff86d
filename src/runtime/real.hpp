// What a function that stands in for another needs: the real one behind it, who called, and raw system calls for the
// engine itself.
#pragma once

#include <dlfcn.h>
#include <pthread.h>

namespace plumb::runtime {

// The next definition of a function after ours; looked up when first needed, which may be before any constructor.
template <class F>
F* real(const char* name) {
  return reinterpret_cast<F*>(dlsym(RTLD_NEXT, name));
}
#define PLUMB_REAL_OF(function, name)                                                 \
  ([]() -> auto* {                                                                    \
    static auto* const real_one = ::plumb::runtime::real<decltype(::function)>(name); \
    return real_one;                                                                  \
  }())
#define PLUMB_REAL(function) PLUMB_REAL_OF(function, #function)

// Where in the program the function was called in which this stands.
#define PLUMB_CALLER __builtin_return_address(0)

template <class... Arguments>
long raw_syscall(long number, Arguments... arguments) {
  long values[6] = {(long)(arguments)...};  // NOLINT: the kernel takes six words, whatever they mean
  register long r10 asm("r10") = values[3];
  register long r8 asm("r8") = values[4];
  register long r9 asm("r9") = values[5];
  long result = 0;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(values[0]), "S"(values[1]), "d"(values[2]), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  return result;
}

pthread_t real_self();
bool real_create_detached(void* (*entry)(void*), void* argument);
void install_alternate_stack();  // for signal handlers of the calling thread

}  // namespace plumb::runtime
