#include "explore/local_state.hpp"

#include <unwind.h>

#include <array>

#include "runtime/fiber.hpp"

namespace plumb::engine {
namespace {

// As DWARF numbers the registers of x86-64 that a called function leaves as they are: rbx, rbp, r12 to r15.
constexpr std::array kKept = {3, 6, 12, 13, 14, 15};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E37'79B9'7F4A'7C15ULL;
  return hash ^ (hash >> 29U);
}

struct Search {
  std::uintptr_t pc = 0;
  std::uintptr_t top = 0;  // of the stack
  std::uint64_t found = 0;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* to) {
  auto& search = *static_cast<Search*>(to);
  if (_Unwind_GetIP(context) != search.pc) return _URC_NO_REASON;
  std::uint64_t hash = 1;
  for (const int number : kKept) hash = mix(hash, _Unwind_GetGR(context, number));
  const std::uintptr_t first = _Unwind_GetCFA(context);  // at the call of the hook
  for (std::uintptr_t at = first; at + 8 <= search.top; at += 8)
    hash = mix(hash, *reinterpret_cast<const std::uint64_t*>(at));
  search.found = hash | 1U;
  return _URC_END_OF_STACK;
}

}  // namespace

std::uint64_t local_state(int thread, const void* pc) {
  Search search{.pc = reinterpret_cast<std::uintptr_t>(pc),
                .top = runtime::g_stacks[static_cast<std::size_t>(thread)].high};
  if (pc != nullptr) _Unwind_Backtrace(&look, &search);
  return search.found;
}

}  // namespace plumb::engine
