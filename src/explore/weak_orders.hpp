// Whether threads used memory orders weaker than sequentially consistent: then other memory models show more than this one.
#pragma once

#include "runtime/control.hpp"

namespace plumb::engine {

extern bool g_has_weak_orders;  // since the last Execution was made

inline void note_order(const runtime::Step& access) {
  constexpr std::uint8_t kSequentiallyConsistent = 5;
  if (!runtime::g_multithreaded) return;
  const bool may_fail = access.kind == runtime::StepKind::kCompareExchange;
  g_has_weak_orders |= access.order != kSequentiallyConsistent ||
                       (may_fail && access.failure_order != kSequentiallyConsistent);
}

}  // namespace plumb::engine
