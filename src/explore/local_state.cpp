#include "explore/local_state.hpp"

#include <unwind.h>

#include <array>

#include <plumb/detail/mix.hpp>

#include "runtime/control.hpp"
#include "runtime/virtual_clock.hpp"

namespace plumb::engine {
namespace {

// As DWARF numbers the registers of x86-64 that a called function leaves as they are: rbx, rbp, r12 to r15.
constexpr std::array kKept = {3, 6, 12, 13, 14, 15};

constexpr std::uint64_t kSecond = 1'000'000'000;

// A time of two words has a part of a second behind the seconds; or they stand apart.
class Words {
 public:
  explicit Words(int thread) : thread_(thread) {}
  void add(std::uint64_t word) {
    all_ = detail::mix(all_, word);
    const bool time = runtime::looks_like_time(word);
    if (time || (after_time_ && word < kSecond) || runtime::looks_like_part(thread_, word)) word = 0;
    after_time_ = time;
    but_for_times_ = detail::mix(but_for_times_, word);
  }
  LocalState hash() const { return {all_ | 1U, but_for_times_ | 1U}; }

 private:
  int thread_;
  bool after_time_ = false;
  std::uint64_t all_ = 1;
  std::uint64_t but_for_times_ = 1;
};

struct Search {
  int thread = 0;
  std::uintptr_t pc = 0;
  std::uintptr_t top = 0;  // of the stack
  LocalState found;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* to) {
  auto& search = *static_cast<Search*>(to);
  if (_Unwind_GetIP(context) != search.pc) return _URC_NO_REASON;
  Words words(search.thread);
  for (const int number : kKept) words.add(_Unwind_GetGR(context, number));
  const std::uintptr_t first = _Unwind_GetCFA(context);  // at the call of the hook
  for (std::uintptr_t at = first; at + 8 <= search.top; at += 8)
    words.add(*reinterpret_cast<const std::uint64_t*>(at));
  search.found = words.hash();
  return _URC_END_OF_STACK;
}

}  // namespace

LocalState local_state(int thread, const runtime::Step& step) {
  Search search{.thread = thread,
                .pc = reinterpret_cast<std::uintptr_t>(step.pc),
                .top = runtime::g_stacks[static_cast<std::size_t>(thread)].high,
                .found = {}};
  if (step.pc != nullptr) _Unwind_Backtrace(&look, &search);
  return search.found;
}

}  // namespace plumb::engine
