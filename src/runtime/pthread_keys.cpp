// Keys, with a value for each thread: of pthread_key_create and tss_create. Keys that are made under an exploration are gone with the
// execution; those from before have no values at its beginning.
#include <pthread.h>

#include <cerrno>
#include <climits>

#include <array>
#include <utility>

#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

constexpr std::size_t kKeys = PTHREAD_KEYS_MAX;  // made outside an exploration; ours come after them
constexpr std::size_t kOwnKeys = 64;
constexpr int kRounds = 4;  // destructors of keys may set keys again: as often as POSIX says

using Values = std::array<void*, kKeys + kOwnKeys>;
std::array<Values, kMaxThreads> g_values{};
unsigned g_used = 0;  // by which threads
std::array<void (*)(void*), kKeys + kOwnKeys> g_destructors{};
std::array<bool, kOwnKeys> g_deleted{};
std::size_t g_own_keys = 0;

Values& own() { return g_values[static_cast<std::size_t>(t_fiber)]; }

bool is_key(pthread_key_t key) {
  return key < kKeys || (key < kKeys + g_own_keys && !g_deleted[key - kKeys]);
}

}  // namespace

std::size_t keys_made() { return g_own_keys; }

bool has_key_values() { return g_used != 0; }

void begin_keys() {
  for (; g_used != 0; g_used &= g_used - 1)
    g_values[static_cast<std::size_t>(__builtin_ctz(g_used))].fill(nullptr);
  if (g_own_keys != 0) g_deleted.fill(false);
  g_own_keys = 0;
}

void run_key_destructors() {
  Values& values = own();
  const unsigned self = 1U << static_cast<unsigned>(t_fiber);
  for (int round = 0; round < kRounds && (g_used & self) != 0; ++round) {
    g_used &= ~self;
    for (std::size_t key = 0; key < values.size(); ++key) {
      void* value = std::exchange(values[key], nullptr);
      if (value != nullptr && g_destructors[key] != nullptr) g_destructors[key](value);
    }
  }
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (!rt::exploring()) {
    const int error = PLUMB_REAL(pthread_key_create)(key, destructor);
    if (error == 0 && *key < rt::kKeys) rt::g_destructors[*key] = destructor;
    return error;
  }
  if (rt::g_own_keys == rt::kOwnKeys) return EAGAIN;
  *key = static_cast<pthread_key_t>(rt::kKeys + rt::g_own_keys++);
  rt::g_destructors[*key] = destructor;
  rt::g_control->observed_environment(*key, &rt::g_own_keys, true);
  return 0;
}
int pthread_key_delete(pthread_key_t key) {
  if (rt::exploring() && key < rt::kKeys) {
    rt::g_control->refuse("a key that was made before the exploration is deleted",
                          __builtin_return_address(0));
  }
  if (key < rt::kKeys) {
    rt::g_destructors[key] = nullptr;
    return PLUMB_REAL(pthread_key_delete)(key);
  }
  if (!rt::is_key(key)) return EINVAL;
  rt::g_destructors[key] = nullptr;
  rt::g_deleted[key - rt::kKeys] = true;
  return 0;
}
void* pthread_getspecific(pthread_key_t key) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_getspecific)(key);
  return rt::is_key(key) ? rt::own()[key] : nullptr;
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_setspecific)(key, value);
  if (!rt::is_key(key)) return EINVAL;
  rt::g_used |= 1U << static_cast<unsigned>(rt::t_fiber);
  rt::own()[key] = const_cast<void*>(value);
  return 0;
}

}  // extern "C"
