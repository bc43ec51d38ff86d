#include "runtime/end_of_process.hpp"

#include <unistd.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runtime/control.hpp"
#include "runtime/real.hpp"

namespace plumb::runtime {
namespace {

constexpr int kError = 2;  // the exit status

thread_local const RunsUnderTest* t_under_test = nullptr;

const EndGuard* g_guard = nullptr;

template <class What>
void ends(const char* format, What what, const void* pc) {
  if (exploring()) {
    const EngineScope in_engine;  // it is no text of the program
    g_control->fail(FindingKind::kAbort,
                    "the code under test ended the process: " + fmt::format(fmt::runtime(format), what), pc);
  }
  EndGuard::tell(fmt::format(fmt::runtime(format), what), pc);
}

// What ends it from within a library comes here only.
void at_end() {
  if (t_fiber < 0) return EndGuard::tell("", nullptr);
  const EngineScope in_engine;
  EndGuard::tell("", nullptr);
  std::fputs("the program under exploration ended the process, from within a library\n", stderr);
  end_process(kError);
}

// Up to the null that ends them.
std::vector<char*> collect(const char* first, std::va_list& rest) {
  std::vector<char*> arguments{const_cast<char*>(first)};
  while (arguments.back() != nullptr) arguments.push_back(va_arg(rest, char*));
  return arguments;
}

}  // namespace

EndGuard::EndGuard(std::function<int(const EndOfProcess&)> tell)
    : tell_(std::move(tell)), before_(std::exchange(g_guard, this)), process_(getpid()) {
  watch_the_end();
}
EndGuard::~EndGuard() { g_guard = before_; }

void EndGuard::tell(std::string call, const void* pc) {
  const EndGuard* const guard = std::exchange(g_guard, nullptr);
  if (guard == nullptr || guard->process_ != getpid()) return;
  end_process(guard->tell_({std::move(call), pc, t_under_test != nullptr ? t_under_test->name() : ""}));
}

RunsUnderTest::RunsUnderTest(std::function<std::string()> name)
    : name_(std::move(name)), before_(std::exchange(t_under_test, this)) {}
RunsUnderTest::~RunsUnderTest() { t_under_test = before_; }

void watch_the_end() {
  static const bool registered = std::atexit(&at_end) == 0 && at_quick_exit(&at_end) == 0;
  static_cast<void>(registered);
}

void end_process(int status) {
  PLUMB_REAL(_exit)(status);
  __builtin_unreachable();
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

void exit(int status) {
  rt::ends("exit({})", status, PLUMB_CALLER);
  PLUMB_REAL(exit)(status);
  __builtin_unreachable();
}
void _exit(int status) {
  rt::ends("_exit({})", status, PLUMB_CALLER);
  PLUMB_REAL(_exit)(status);
  __builtin_unreachable();
}
void _Exit(int status) noexcept {
  rt::ends("_Exit({})", status, PLUMB_CALLER);
  PLUMB_REAL(_Exit)(status);
  __builtin_unreachable();
}
void quick_exit(int status) noexcept {
  rt::ends("quick_exit({})", status, PLUMB_CALLER);
  PLUMB_REAL(quick_exit)(status);
  __builtin_unreachable();
}

// One that succeeds puts another program in the place of this one.
int execve(const char* path, char* const* arguments, char* const* environment) noexcept {
  rt::ends("execve(\"{}\")", path, PLUMB_CALLER);
  return PLUMB_REAL(execve)(path, arguments, environment);
}
int execv(const char* path, char* const* arguments) noexcept {
  rt::ends("execv(\"{}\")", path, PLUMB_CALLER);
  return PLUMB_REAL(execv)(path, arguments);
}
int execvp(const char* file, char* const* arguments) noexcept {
  rt::ends("execvp(\"{}\")", file, PLUMB_CALLER);
  return PLUMB_REAL(execvp)(file, arguments);
}
int execvpe(const char* file, char* const* arguments, char* const* environment) noexcept {
  rt::ends("execvpe(\"{}\")", file, PLUMB_CALLER);
  return PLUMB_REAL(execvpe)(file, arguments, environment);
}
int fexecve(int file, char* const* arguments, char* const* environment) noexcept {
  rt::ends("fexecve({})", file, PLUMB_CALLER);
  return PLUMB_REAL(fexecve)(file, arguments, environment);
}
int execl(const char* path, const char* argument, ...) noexcept {
  rt::ends("execl(\"{}\")", path, PLUMB_CALLER);
  std::va_list list;
  va_start(list, argument);
  const auto arguments = rt::collect(argument, list);
  va_end(list);
  return PLUMB_REAL(execv)(path, arguments.data());
}
int execlp(const char* file, const char* argument, ...) noexcept {
  rt::ends("execlp(\"{}\")", file, PLUMB_CALLER);
  std::va_list list;
  va_start(list, argument);
  const auto arguments = rt::collect(argument, list);
  va_end(list);
  return PLUMB_REAL(execvp)(file, arguments.data());
}
int execle(const char* path, const char* argument, ...) noexcept {
  rt::ends("execle(\"{}\")", path, PLUMB_CALLER);
  std::va_list list;
  va_start(list, argument);
  const auto arguments = rt::collect(argument, list);
  char* const* const environment = va_arg(list, char* const*);
  va_end(list);
  return PLUMB_REAL(execve)(path, arguments.data(), environment);
}

}  // extern "C"
