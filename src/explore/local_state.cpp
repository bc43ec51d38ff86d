#include "explore/local_state.hpp"

#include <unwind.h>

#include <array>

#include "runtime/control.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {
namespace {

// As DWARF numbers the registers of x86-64 that a called function leaves as they are: rbx, rbp, r12 to r15.
constexpr std::array kKept = {3, 6, 12, 13, 14, 15};

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9E37'79B9'7F4A'7C15ULL;
  return hash ^ (hash >> 29U);
}

constexpr std::uint64_t kSecond = 1'000'000'000;

// A time of two words has a part of a second behind the seconds; that of the deadline may stand anywhere.
class Words {
 public:
  Words(Keep keep, std::uint64_t part_of_deadline) : keep_(keep), part_of_deadline_(part_of_deadline) {}
  void add(std::uint64_t word) {
    const bool time = keep_ == Keep::kAllButTimes && runtime::looks_like_time(word);
    const bool part =
        (after_time_ && word < kSecond) || (part_of_deadline_ != 0 && word == part_of_deadline_);
    hash_ = mix(hash_, time || part ? 0 : word);
    after_time_ = time;
  }
  std::uint64_t hash() const { return hash_ | 1U; }

 private:
  Keep keep_;
  std::uint64_t part_of_deadline_;
  bool after_time_ = false;
  std::uint64_t hash_ = 1;
};

struct Search {
  Keep keep = Keep::kAll;
  std::uint64_t part_of_deadline = 0;
  std::uintptr_t pc = 0;
  std::uintptr_t top = 0;  // of the stack
  std::uint64_t found = 0;
};

_Unwind_Reason_Code look(_Unwind_Context* context, void* to) {
  auto& search = *static_cast<Search*>(to);
  if (_Unwind_GetIP(context) != search.pc) return _URC_NO_REASON;
  Words words(search.keep, search.part_of_deadline);
  for (const int number : kKept) words.add(_Unwind_GetGR(context, number));
  const std::uintptr_t first = _Unwind_GetCFA(context);  // at the call of the hook
  for (std::uintptr_t at = first; at + 8 <= search.top; at += 8)
    words.add(*reinterpret_cast<const std::uint64_t*>(at));
  search.found = words.hash();
  return _URC_END_OF_STACK;
}

}  // namespace

std::uint64_t local_state(int thread, const runtime::Step& step, Keep keep) {
  Search search{.keep = keep,
                .pc = reinterpret_cast<std::uintptr_t>(step.pc),
                .top = runtime::g_stacks[static_cast<std::size_t>(thread)].high};
  if (keep == Keep::kAllButTimes)
    search.part_of_deadline = static_cast<std::uint64_t>(step.deadline) % kSecond;
  if (step.pc != nullptr) _Unwind_Backtrace(&look, &search);
  return search.found;
}

}  // namespace plumb::engine
