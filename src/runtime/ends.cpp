// Ways a program ends itself: under exploration each is a finding of this execution, and the process lives on.
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <cxxabi.h>
#include <array>
#include <exception>
#include <string>

#include "runtime/control.hpp"
#include "runtime/real.hpp"
#include "runtime/signals.hpp"

namespace plumb::runtime {
namespace {

std::string exception_type() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  if (type == nullptr) return "no exception";
  int status = 0;
  char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
  std::string text = std::string("an exception of type ") + (status == 0 ? name : type->name());
  std::free(name);
  return text;
}

std::terminate_handler g_previous = nullptr;

void on_terminate() {
  if (exploring())
    g_control->fail(FindingKind::kAbort, "std::terminate was called, with " + exception_type(), nullptr);
  g_previous();
  std::abort();
}

}  // namespace

CatchTerminate::CatchTerminate() { g_previous = std::set_terminate(&on_terminate); }
CatchTerminate::~CatchTerminate() { std::set_terminate(g_previous); }

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

void __cxa_throw(void* exception, std::type_info* type, void (*destroy)(void*)) {
  if (rt::exploring()) {
    const rt::EngineScope in_engine;
    rt::g_control->throws();
  }
  PLUMB_REAL(__cxa_throw)(exception, type, destroy);
  __builtin_unreachable();
}

void abort() noexcept {
  if (rt::exploring()) rt::g_control->fail(plumb::FindingKind::kAbort, "abort was called", PLUMB_CALLER);
  PLUMB_REAL(abort)();
  __builtin_unreachable();
}

void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept {
  if (rt::exploring()) {
    std::array<char, 512> text{};
    const rt::EngineScope in_engine;  // it is no text of the program
    std::snprintf(text.data(), text.size(), "assertion failed: %s (%s:%u)", assertion, file, line);
    rt::g_control->fail(plumb::FindingKind::kAssert, text.data(), PLUMB_CALLER);
  }
  PLUMB_REAL(__assert_fail)(assertion, file, line, function);
  __builtin_unreachable();
}

}  // extern "C"
