// A program of GenMC's suite, run through all its executions: prints one line of JSON. An execution in which an assumption does not hold is
// blocked, as one in which a thread waits in a loop; GenMC counts it by itself. usage: PROGRAM [--sc] [--races-allowed] [--seconds N] [--verbose]
#include <setjmp.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include <plumb/explore.hpp>

#include "genmc.h"

#undef main
#undef pthread_join
#undef pthread_mutex_lock
#undef pthread_mutex_unlock

namespace {

// Of one execution. No hooks tell of them.
bool g_blocked;
pthread_t g_main;
jmp_buf g_end_of_main;
char g_stopped;  // its address is the result of a thread that an assumption has stopped
struct Held {
  pthread_t by;
  pthread_mutex_t* mutex;
};
std::array<Held, 64> g_held;
std::size_t g_held_count;

}  // namespace

// What others have to wait for is given back: else they would be taken to wait in vain.
void __VERIFIER_assume(int holds) {
  if (holds != 0) return;
  g_blocked = true;
  const pthread_t self = pthread_self();
  for (std::size_t i = g_held_count; i-- > 0;) {
    if (i < g_held_count && pthread_equal(g_held[i].by, self) != 0) unlock_for_program(g_held[i].mutex);
  }
  if (pthread_equal(self, g_main) != 0) longjmp(g_end_of_main, 1);
  pthread_exit(&g_stopped);
}

int join_for_program(pthread_t thread, void** result) {
  void* got = nullptr;
  const int status = pthread_join(thread, &got);
  if (status != 0) return status;
  __VERIFIER_assume(static_cast<int>(got != &g_stopped));
  if (result != nullptr) *result = got;
  return 0;
}

int lock_for_program(pthread_mutex_t* mutex) {
  const int status = pthread_mutex_lock(mutex);
  if (status == 0 && g_held_count < g_held.size()) g_held[g_held_count++] = {pthread_self(), mutex};
  return status;
}

int unlock_for_program(pthread_mutex_t* mutex) {
  const auto end = g_held.begin() + static_cast<std::ptrdiff_t>(g_held_count);
  const auto last =
      std::remove_if(g_held.begin(), end, [&](const Held& held) { return held.mutex == mutex; });
  g_held_count = static_cast<std::size_t>(last - g_held.begin());
  return pthread_mutex_unlock(mutex);
}

int main(int argc, char** argv) {
  plumb::ExploreOptions options{
      .memory_model = plumb::MemoryModel::kRc11, .suggest_orders = false, .patience = 5000, .leaks = false};
  bool is_verbose = false;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--verbose") == 0) is_verbose = true;
    if (std::strcmp(argv[i], "--sc") == 0) options.memory_model = plumb::MemoryModel::kSequential;
    if (std::strcmp(argv[i], "--races-allowed") == 0) options.races = false;
    if (std::strcmp(argv[i], "--seconds") == 0) options.timeout = plumb::Seconds(std::atof(argv[++i]));
  }
  const plumb::Exploration result = plumb::explore(
      [](plumb::Program& p) {
        g_blocked = false;
        g_main = pthread_self();
        g_held_count = 0;
        touch_for_program();
        if (setjmp(g_end_of_main) == 0) main_of_program();
        p.run();  // waits for all threads
        p.observe(g_blocked ? "blocked" : "complete");
      },
      options);
  if (is_verbose) std::fputs(result.text().c_str(), stderr);
  const auto count = [&](const char* outcome) {
    const auto found = result.outcomes.find(outcome);
    return found == result.outcomes.end() ? 0UL : static_cast<unsigned long>(found->second);
  };
  std::string message = result.message;
  std::replace(message.begin(), message.end(), '"', '\'');
  std::replace(message.begin(), message.end(), '\n', ' ');
  std::printf(
      "{\"complete\": %lu, \"blocked\": %lu, \"exhausted\": %s, \"kind\": \"%s\", \"message\": \"%s\"}\n",
      count("complete"), count("blocked") + static_cast<unsigned long>(result.pruned),
      result.exhausted ? "true" : "false", result.refused ? "refused" : plumb::to_string(result.kind),
      message.c_str());
  return 0;
}
