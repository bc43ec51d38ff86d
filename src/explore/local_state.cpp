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

constexpr std::size_t kWord = 8;

std::uint64_t word_at(std::uintptr_t address) { return *reinterpret_cast<const std::uint64_t*>(address); }

// What the program keeps where it called the hook.
struct Kept {
  std::uintptr_t stack = 0;  // where its stack begins; 0: it is not known
  std::array<std::uint64_t, kKept.size()> registers{};
};

// The calls from a hook to local_state(): where on the stack they are told by, and where they saved the registers, both from a place in the
// frame of local_state(). To unwind them takes as long as all else that is done at a step, and there are few chains of them. None of
// these functions has a frame that varies, so whoever finds the same return addresses, one after the other, in the same places,
// stands in the same chain, and the registers are where they were.
class Chain {
 public:
  void add_return(std::uintptr_t offset, std::uint64_t address) {
    if (count_ < kMost) returns_[count_] = {offset, address};
    ++count_;
  }
  void set_stack(std::uintptr_t offset) { stack_ = offset; }
  void add_saved(std::uintptr_t offset) { saved_[saved_count_++] = offset; }
  [[nodiscard]] bool is_complete() const { return count_ <= kMost && saved_count_ == kKept.size(); }

  // From that place in the frame, for a hook that returns to the program there.
  [[nodiscard]] bool is_at(std::uintptr_t frame, std::uintptr_t pc) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (word_at(frame + returns_[i].offset) != returns_[i].address) return false;
    }
    return word_at(frame + stack_ - kWord) == pc;
  }
  [[nodiscard]] Kept kept(std::uintptr_t frame) const {
    Kept kept{.stack = frame + stack_, .registers = {}};
    for (std::size_t i = 0; i < kKept.size(); ++i) kept.registers[i] = word_at(frame + saved_[i]);
    return kept;
  }

 private:
  static constexpr std::size_t kMost = 12;
  struct Return {
    std::uintptr_t offset;
    std::uint64_t address;
  };
  std::array<Return, kMost> returns_{};
  std::size_t count_ = 0;
  std::uintptr_t stack_ = 0;
  std::array<std::uintptr_t, kKept.size()> saved_{};
  std::size_t saved_count_ = 0;
};

struct Search {
  std::uintptr_t pc = 0;
  std::uintptr_t frame = 0;   // a place in that of local_state()
  std::uintptr_t lowest = 0;  // where that begins
  Kept found{};
  Chain chain{};
};

// The word that changes with the register. 0: none.
std::uintptr_t where_saved(_Unwind_Context* context, int number, const Search& search) {
  const std::uint64_t value = _Unwind_GetGR(context, number);
  for (std::uintptr_t at = search.lowest; at < search.found.stack; at += kWord) {
    if (word_at(at) != value) continue;
    _Unwind_SetGR(context, number, ~value);
    const bool changes = word_at(at) == ~value;
    _Unwind_SetGR(context, number, value);
    if (changes) return at;
  }
  return 0;
}

_Unwind_Reason_Code look(_Unwind_Context* context, void* to) {
  auto& search = *static_cast<Search*>(to);
  const std::uintptr_t stack = _Unwind_GetCFA(context);  // when it called the next one
  const std::uintptr_t pc = _Unwind_GetIP(context);
  if (search.lowest == 0) {
    search.lowest = stack;
    return _URC_NO_REASON;
  }
  if (pc != search.pc) {
    search.chain.add_return(stack - kWord - search.frame, pc);
    return _URC_NO_REASON;
  }
  search.found.stack = stack;
  search.chain.set_stack(stack - search.frame);
  for (std::size_t i = 0; i < kKept.size(); ++i) {
    search.found.registers[i] = _Unwind_GetGR(context, kKept[i]);
    const std::uintptr_t saved = where_saved(context, kKept[i], search);
    if (saved != 0) search.chain.add_saved(saved - search.frame);
  }
  return _URC_END_OF_STACK;
}

// Those that were met.
class Chains {
 public:
  [[nodiscard]] const Chain* at(std::uintptr_t frame, std::uintptr_t pc) const {
    for (std::size_t i = 0; i < count_; ++i) {
      if (chains_[i].is_at(frame, pc)) return &chains_[i];
    }
    return nullptr;
  }
  void add(const Chain& chain) {
    if (chain.is_complete() && count_ < chains_.size()) chains_[count_++] = chain;
  }

 private:
  std::array<Chain, 16> chains_{};
  std::size_t count_ = 0;
};
Chains g_chains;

template <class F>
void each_word(const Kept& kept, int thread, const F& call) {
  for (const std::uint64_t each : kept.registers) call(each);
  const std::uintptr_t top = runtime::g_stacks[static_cast<std::size_t>(thread)].high;
  for (std::uintptr_t at = kept.stack; at + kWord <= top; at += kWord) call(word_at(at));
}

LocalState hash_of(const Kept& kept, int thread, Times times) {
  if (kept.stack == 0) return {};
  if (times == Times::kKept) {
    std::uint64_t all = 1;
    each_word(kept, thread, [&](std::uint64_t word) { all = detail::mix(all, word); });
    return {.all = all | 1U};
  }
  Words words(thread);
  each_word(kept, thread, [&](std::uint64_t word) { words.add(word); });
  return words.hash();
}

}  // namespace

[[gnu::noinline]] LocalState local_state(int thread, const runtime::Step& step, Times times) {
  if (step.pc == nullptr) return {};
  const auto frame = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  // They are saved on the way in, whatever comes then; that place itself is a copy of the sixth.
  asm volatile("" : : "r"(frame) : "rbx", "r12", "r13", "r14", "r15", "memory");
  const auto pc = reinterpret_cast<std::uintptr_t>(step.pc);
  if (const Chain* chain = g_chains.at(frame, pc)) return hash_of(chain->kept(frame), thread, times);
  Search search{.pc = pc, .frame = frame};
  _Unwind_Backtrace(&look, &search);
  if (runtime::is_atomic(step.kind)) g_chains.add(search.chain);
  return hash_of(search.found, thread, times);
}

}  // namespace plumb::engine
