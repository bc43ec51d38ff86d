// The state of a program, piece by piece: hashed to a key, copied to a snapshot, copied back.
#include <algorithm>
#include <utility>

#include "explore/states/machine.hpp"
#include "explore/states/state_hash.hpp"
#include "runtime/own_copies.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::are_zero;
using runtime::clear_words;
using runtime::copy_bytes;

char* Machine::live_from(int thread) const {
  const Thread& self = threads_[index(thread)];
  if (self.where == Where::kFinished)
    return reinterpret_cast<char*>(runtime::g_stacks[thread].high);                     // NOLINT
  return is_aside(thread) ? reinterpret_cast<char*>(sides_[index(thread)].at_hook.rsp)  // NOLINT
                          : static_cast<char*>(self.stack_pointer);
}

// Below what is in use, a stack is zero: what is left there of functions that have returned would be taken for something that the next
// ones keep in places which they have not written yet.
void Machine::wipe_below(int thread) {
  constexpr std::size_t kAlways = 512;
  constexpr std::size_t kAtFirst = std::size_t{8} << 10U;  // executions of another engine ran here
  constexpr std::size_t kMore = 256;
  const Thread& self = threads_[index(thread)];
  char* const from = live_from(thread);
  auto* const low = reinterpret_cast<char*>(runtime::g_stacks[thread].low) + kMore;  // NOLINT
  char* to = (self.where == Where::kFinished ? static_cast<char*>(self.stack_pointer) : from) -
             (self.where == Where::kFresh ? kAtFirst : kAlways);
  to = std::max(to, low);
  clear_words(to, static_cast<std::size_t>(from - to));
  while (to >= low + kMore && !are_zero(to - kMore, kMore)) {
    to -= kMore;
    clear_words(to, kMore);
  }
  zero_below_[index(thread)] = from;
}

template <class F>
[[gnu::always_inline]] inline void Machine::each_small_piece(F f) const {
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    const runtime::Fibers::Storage& storage = storage_[index(i)];
    f(storage.variables, storage.size);
    f(storage.of_library, storage.size_of_library);
  }
  f(runtime::ProgramData::begin(), runtime::ProgramData::size());
  f(runtime::waiting_threads().data(), shared_.count * sizeof(const void*));
}

// The stack of the body while it waits for the others is as it was when it began to, unless they write there, and the same in each
// execution, unless it takes steps beside theirs.
bool Machine::is_settled(int thread) const {
  return thread == 0 && shared_.body_waits != 0 && !body_is_shared_;
}

StateKey Machine::key(std::uint64_t besides) {
  struct {
    std::uint64_t besides;
    std::array<int, kMostThreads> errors;
  } small{.besides = besides, .errors = {}};
  Piece* end = pieces_.data();
  const auto add = [&](const void* from, std::size_t size) __attribute__((always_inline)) {
    *end++ = {from, size};
  };
  add(&small, sizeof small);
  add(&shared_, sizeof shared_);
  add(threads_.data(), shared_.count * sizeof(Thread));
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    small.errors[index(i)] = *storage_[index(i)].error;
    if (threads_[index(i)].where == Where::kFinished || is_settled(i)) continue;
    const runtime::SideStack& side = sides_[index(i)];
    const char* from = live_from(i);
    add(from, runtime::g_stacks[i].high - reinterpret_cast<std::uintptr_t>(from));
    if (side.inside == runtime::kOutside) continue;
    add(&side, offsetof(runtime::SideStack, top));
    if (side.inside != runtime::kAsks) add(threads_[index(i)].stack_pointer, begun_size(i));
  }
  each_small_piece(add);
  arena_.each_piece(add);
  return hash_of_pieces({pieces_.data(), end});
}

const std::vector<Touch>& Machine::touches() {
  if (!watches_races()) return races_.touches();
  Knowing alive = 0;
  for (int i = shared_.body_waits == 0 ? 0 : 1; i < static_cast<int>(shared_.count); ++i) {
    if (threads_[index(i)].where != Where::kFinished) alive = static_cast<Knowing>(alive | bit(i));
  }
  races_.tidy(alive);
  return races_.touches();
}

std::size_t Machine::saved_size() const {
  std::size_t size =
      sizeof(std::uint64_t) + sizeof shared_ + sizeof threads_ + sizeof sides_ + races_.saved_size();
  const auto count = [&](const void*, std::size_t bytes) { size += bytes; };
  each_small_piece(count);
  arena_.each_piece(count);
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    size += sizeof(int) + runtime::g_stacks[i].high - reinterpret_cast<std::uintptr_t>(live_from(i));
    if (has_begun_hook(i)) size += begun_size(i);
  }
  return size;
}

void Machine::save(Snapshots& to) {
  char* at = to.begin(saved_size());
  const auto put = [&](const void* from, std::size_t bytes) __attribute__((always_inline)) {
    at = copy_bytes(at, from, bytes);
  };
  const std::uint64_t body_is_settled = is_settled(0) ? 1 : 0;
  put(&body_is_settled, sizeof body_is_settled);
  put(&shared_, sizeof shared_);
  put(threads_.data(), shared_.count * sizeof(Thread));
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    put(&sides_[index(i)], offsetof(runtime::SideStack, top));
    put(storage_[index(i)].error, sizeof(int));
    if (threads_[index(i)].where == Where::kFinished) continue;
    const char* from = live_from(i);
    if (is_settled(i)) {
      const char* const high = reinterpret_cast<char*>(runtime::g_stacks[i].high);  // NOLINT
      if (waiting_body_.empty()) waiting_body_.assign(from, high);
      continue;
    }
    put(from, runtime::g_stacks[i].high - reinterpret_cast<std::uintptr_t>(from));
    if (has_begun_hook(i)) put(threads_[index(i)].stack_pointer, begun_size(i));
  }
  each_small_piece(put);
  arena_.each_piece(put);
  at = races_.save(at);
  to.end(at);
}

void Machine::restore(const Snapshots& snapshots) {
  const char* at = snapshots.last();
  const auto take = [&](const void* to, std::size_t bytes) __attribute__((always_inline)) {
    copy_bytes(const_cast<void*>(to), at, bytes);  // NOLINT: the pieces are those that are saved
    at += bytes;
  };
  const std::uint64_t count_now = shared_.count;
  std::uint64_t body_is_settled = 0;
  take(&body_is_settled, sizeof body_is_settled);
  take(&shared_, sizeof shared_);
  take(threads_.data(), shared_.count * sizeof(Thread));
  for (std::uint64_t i = shared_.count; i < count_now; ++i) threads_[i] = {};
  for (int i = 0; i < static_cast<int>(std::max(count_now, shared_.count)); ++i) {
    const bool is_there = static_cast<std::uint64_t>(i) < shared_.count;
    if (is_there) {
      take(&sides_[index(i)], offsetof(runtime::SideStack, top));
      take(storage_[index(i)].error, sizeof(int));
    }
    char* const from = live_from(i);
    char*& zero_below = zero_below_[index(i)];
    if (zero_below < from) clear_words(zero_below, static_cast<std::size_t>(from - zero_below));
    zero_below = from;
    if (i == 0 && body_is_settled != 0) {
      if (std::exchange(body_has_run_, false) || body_is_shared_)
        copy_bytes(from, waiting_body_.data(), waiting_body_.size());
      continue;
    }
    if (i == 0) body_has_run_ = true;
    if (!is_there || threads_[index(i)].where == Where::kFinished) continue;
    take(from, runtime::g_stacks[i].high - reinterpret_cast<std::uintptr_t>(from));
    if (has_begun_hook(i)) take(threads_[index(i)].stack_pointer, begun_size(i));
  }
  each_small_piece(take);
  at = arena_.restore(at);
  at = races_.restore(at);
  runtime::g_multithreaded = shared_.multithreaded != 0;
  runtime::g_track_accesses = runtime::g_multithreaded && (limits_.races || limits_.plain_points);
  open_log();
  event_ = Event::kStands;
}

}  // namespace plumb::engine
