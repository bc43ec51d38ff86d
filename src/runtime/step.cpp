#include "runtime/step.hpp"

#include <array>

#include "runtime/control.hpp"

namespace plumb::runtime {

Control* g_control = nullptr;
int g_inside = 0;
thread_local int t_fiber = -1;

const char* kind_name(StepKind kind) {
  static constexpr std::array kNames{
      "load",          "store",       "exchange",    "modify",     "compare-exchange",
      "fence",         "lock",        "try-lock",    "unlock",     "read-lock",
      "try-read-lock", "wait",        "wake",        "signal",     "broadcast",
      "acquire",       "try-acquire", "post",        "barrier",    "leave barrier",
      "once",          "futex wait",  "futex woken", "futex wake", "create",
      "join",          "yield",       "sleep",       "clock"};
  return kNames.at(static_cast<std::size_t>(kind));
}

const char* order_name(std::uint8_t order) {
  static constexpr std::array kNames{"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"};
  return order < kNames.size() ? kNames.at(order) : "seq_cst";
}

}  // namespace plumb::runtime
