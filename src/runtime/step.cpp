#include "runtime/step.hpp"

#include <array>

#include "runtime/control.hpp"
#include "runtime/program_data.hpp"

namespace plumb::runtime {

Control* g_control = nullptr;
bool g_in_engine = false;
bool g_multithreaded = false;
bool g_track_accesses = false;
bool g_surveyed = false;
bool g_is_instrumented = false;
Stack g_stacks[kMaxThreads];
Stack g_all_stacks;
std::uint64_t g_writes[kMaxThreads];
constinit thread_local int t_fiber = -1;

[[gnu::noinline]] void Control::wipe_below() {
  std::array<std::uint64_t, 1024>
      below;  // NOLINT(cppcoreguidelines-pro-type-member-init): that is what this is for
  auto* to = below.data();
  auto count = below.size();
  asm volatile("rep stosq" : "+D"(to), "+c"(count) : "a"(0) : "memory");  // memset is interposed
}

bool would_write(const Step& compare_exchange) {
  // Elsewhere the address may be none at all, and the crash is to be that of the program.
  if (!ProgramData::in_program(compare_exchange.address)) return true;
  const auto holds = [&]<class T>(T) {
    return *static_cast<const volatile T*>(compare_exchange.address) ==
           static_cast<T>(compare_exchange.operand);
  };
  switch (compare_exchange.size) {
    case 8:
      return holds(std::uint64_t{});
    case 4:
      return holds(std::uint32_t{});
    case 2:
      return holds(std::uint16_t{});
    case 1:
      return holds(std::uint8_t{});
    default:
      return true;
  }
}

const char* kind_name(StepKind kind) {
  switch (kind) {
#define PLUMB_STEP(name, text, traits) \
  case StepKind::name:                 \
    return text;
#include "runtime/steps.def"
#undef PLUMB_STEP
  }
  return "";
}

const char* order_name(std::uint8_t order) {
  static constexpr std::array kNames{"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  return order < kNames.size() ? kNames.at(order) : "seq_cst";
}

}  // namespace plumb::runtime
