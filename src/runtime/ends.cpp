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

namespace rt = plumb::runtime;
#define PLUMB_CALLER __builtin_return_address(0)

extern "C" {

void abort() noexcept {
  if (rt::exploring()) {
    std::string message = "abort was called";
    // std::terminate ends here, too; an exception in flight tells which.
    if (const std::type_info* type = abi::__cxa_current_exception_type(); type != nullptr) {
      int status = 0;
      const rt::Inside inside;
      char* name = abi::__cxa_demangle(type->name(), nullptr, nullptr, &status);
      message = std::string("std::terminate was called, with an exception of type ") +
                (status == 0 ? name : type->name());
      std::free(name);
    }
    rt::g_control->fail(rt::Failure::kAbort, message, PLUMB_CALLER);
  }
  PLUMB_REAL(abort)();
  __builtin_unreachable();
}

void __assert_fail(const char* assertion, const char* file, unsigned line, const char* function) noexcept {
  if (rt::exploring()) {
    std::array<char, 512> text{};
    std::snprintf(text.data(), text.size(), "assertion failed: %s (%s:%u)", assertion, file, line);
    rt::g_control->fail(rt::Failure::kAssert, text.data(), PLUMB_CALLER);
  }
  PLUMB_REAL(__assert_fail)(assertion, file, line, function);
  __builtin_unreachable();
}

}  // extern "C"
