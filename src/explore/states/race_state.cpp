#include "explore/states/race_state.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <plumb/detail/mix.hpp>

namespace plumb::engine {
namespace {

bool releases(std::uint8_t order) { return order >= 3; }

// The bytes of the word that [first, last) covers, one bit each.
std::uint8_t bytes_of(std::uintptr_t word, std::uintptr_t first, std::uintptr_t last) {
  const unsigned from = first > word * 8 ? static_cast<unsigned>(first - word * 8) : 0;
  const unsigned to = last < word * 8 + 8 ? static_cast<unsigned>(last - word * 8) : 8;
  return static_cast<std::uint8_t>(((1U << to) - 1) & ~((1U << from) - 1));
}

}  // namespace

void RaceState::begin() {
  clocks_ = {};
  clocks_.now[0][0] = 1;
  clocks_.threads = 1;
  touches_.clear();
  syncs_.clear();
}

void RaceState::start(int parent, int child) {
  Clock& now = clocks_.now[index(parent)];
  clocks_.now[index(child)] = now;
  clocks_.now[index(child)][index(child)] = 1;
  clocks_.seen_relaxed[index(child)] = clocks_.fenced[index(child)] = {};
  clocks_.threads = static_cast<std::uint64_t>(child) + 1;
  ++now[index(parent)];
}

RaceState::Sync* RaceState::find(std::uintptr_t address) {
  for (Sync& sync : syncs_) {
    if (sync.address == address) return &sync;
  }
  return nullptr;
}

RaceState::Clock& RaceState::released_at(const void* address) {
  if (Sync* known = find(address)) return known->released;
  syncs_.push_back({reinterpret_cast<std::uintptr_t>(address), {}});
  return syncs_.back().released;
}

void RaceState::acquire(int thread, const void* object) {
  if (const Sync* sync = find(object)) merge(clocks_.now[index(thread)], sync->released);
}

void RaceState::release(int thread, const void* object) {
  Clock& now = clocks_.now[index(thread)];
  merge(released_at(object), now);
  ++now[index(thread)];
}

void RaceState::fence(int thread, std::uint8_t order) {
  Clock& now = clocks_.now[index(thread)];
  if (acquires(order)) merge(now, clocks_.seen_relaxed[index(thread)]);
  if (!releases(order)) return;
  clocks_.fences = 1;
  clocks_.fenced[index(thread)] = now;
  ++now[index(thread)];
}

bool RaceState::touch(int thread, std::uintptr_t word, std::uint8_t bytes, TouchKind kind) {
  const Clock& now = clocks_.now[index(thread)];
  if (!words_.touch(thread, word, kind)) return false;
  Touch* same = nullptr;
  for (Touch& known : touches_) {
    if (known.word != word || (known.bytes & bytes) == 0) continue;
    if (known.thread == thread) {
      if (known.kind == kind && known.bytes == bytes) same = &known;
    } else if (known.tick > now[known.thread] && conflict(known.kind, kind)) {
      return true;
    }
  }
  if (same != nullptr) {
    same->tick = now[index(thread)];
  } else {
    touches_.push_back({word, bytes, static_cast<std::uint8_t>(thread), kind, 0, now[index(thread)], 0});
  }
  return false;
}

bool RaceState::access(int thread, const void* address, std::size_t size, bool write) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word) {
    if (touch(thread, word, bytes_of(word, first, first + size), write ? kPlainWrite : kPlainRead))
      return true;
  }
  return false;
}

bool RaceState::is_touched_by_others(int thread, const void* address, std::size_t size) const {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  return std::ranges::any_of(touches_, [&](const Touch& known) {
    return known.thread != thread && known.word >= first / 8 && known.word * 8 < first + size;
  });
}

// To free memory is to write all of it; from then on whoever touches it is wrong anyway, whatever comes before what.
bool RaceState::free(int thread, const void* address, std::size_t size) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const Clock& now = clocks_.now[index(thread)];
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word)
    words_.touch(thread, word, kPlainWrite);
  const bool races = std::ranges::any_of(touches_, [&](const Touch& known) {
    return known.word >= first / 8 && known.word * 8 < first + size && known.thread != thread &&
           known.tick > now[known.thread];
  });
  if (!races) forget(address, size);
  return races;
}

bool RaceState::atomic(int thread, const runtime::Step& step, bool wrote) {
  const auto first = reinterpret_cast<std::uintptr_t>(step.address);
  const std::uintptr_t last = first + step.size;
  Clock& now = clocks_.now[index(thread)];
  for (std::uintptr_t word = first / 8; word * 8 < last; ++word) {
    if (touch(thread, word, bytes_of(word, first, last), wrote ? kAtomicWrite : kAtomicRead)) return true;
    if (step.kind == runtime::StepKind::kStore) continue;
    const Sync* seen = find(reinterpret_cast<const void*>(std::max(first, word * 8)));  // NOLINT
    if (seen == nullptr) continue;
    if (acquires(step.order)) {
      merge(now, seen->released);
    } else {
      merge(clocks_.seen_relaxed[index(thread)], seen->released);
      clocks_.fences = 1;
    }
  }
  if (!wrote) return false;
  const Clock mine = releases(step.order) ? now : clocks_.fenced[index(thread)];
  for (std::uintptr_t word = first / 8; word * 8 < last; ++word) {
    Clock& released = released_at(reinterpret_cast<const void*>(std::max(first, word * 8)));  // NOLINT
    if (step.kind == runtime::StepKind::kStore) {
      words_.loses(std::max(first, word * 8));
      released = mine;
    } else {
      merge(released, mine);  // a read-modify-write continues the release sequence
    }
  }
  if (releases(step.order)) ++now[index(thread)];
  return false;
}

void RaceState::forget(const void* address, std::size_t size) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const std::uintptr_t last = first + size;
  std::erase_if(touches_,
                [&](const Touch& touch) { return touch.word >= first / 8 && touch.word * 8 < last; });
  std::erase_if(syncs_, [&](const Sync& sync) {
    const bool lies_there = sync.address / 8 >= first / 8 && sync.address < last;
    if (lies_there) words_.loses(sync.address);
    return lies_there;
  });
}

// Whether the step itself races is judged by what is known before it.
void RaceState::foresee(std::size_t thread) {
  const std::uintptr_t at = clocks_.expected[thread];
  const bool is_touched = std::ranges::any_of(
      touches_, [&](const Touch& known) { return known.word == at / 8 && known.thread != thread; });
  if (is_touched) return;
  if (const Sync* sync = find(at); sync != nullptr && words_.expect_to_keep(at))
    merge(clocks_.now[thread], sync->released);
}

void RaceState::tidy(std::uint32_t alive) {
  if (touches_.empty() && syncs_.empty()) return;
  Clock known;
  known.fill(0xFFFF);
  for (std::uint32_t left = alive; left != 0; left &= left - 1) {
    const auto self = static_cast<std::size_t>(std::countr_zero(left));
    if (clocks_.expected[self] != 0) foresee(self);
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (i != self) known[i] = std::min(known[i], clocks_.now[self][i]);
    }
  }
  std::erase_if(touches_, [&](const Touch& touch) { return touch.tick <= known[touch.thread]; });
  std::erase_if(syncs_, [&](const Sync& sync) {
    for (std::size_t i = 0; i < known.size(); ++i) {
      if (sync.released[i] > known[i]) return false;
    }
    return true;
  });
}

// A sum, in whatever order the parts are added.
class RaceState::Sum {
 public:
  void add(std::uint64_t a, std::uint64_t b) {
    key_.low += detail::mix(detail::mix(1, a), b);
    key_.high += detail::mix(detail::mix(2, b), a);
  }
  [[nodiscard]] StateKey key() const { return key_; }

 private:
  StateKey key_;
};

// Of each thread the ticks of its touches, in order; false: there are too many.
bool RaceState::collect_ticks() const {
  ticks_.count.fill(0);
  ticks_.threads = 0;
  for (const Touch& touch : touches_) {
    auto& own = ticks_.of[touch.thread];
    unsigned& many = ticks_.count[touch.thread];
    unsigned at = many;
    while (at > 0 && own[at - 1] > touch.tick) --at;
    if (at > 0 && own[at - 1] == touch.tick) continue;
    if (many == own.size()) return false;
    for (unsigned i = many; i > at; --i) own[i] = own[i - 1];
    own[at] = touch.tick;
    ++many;
    ticks_.threads |= 1U << touch.thread;
  }
  return true;
}

std::uint64_t RaceState::rank(std::size_t thread, Tick tick) const {
  std::uint64_t earlier = 0;
  while (earlier < ticks_.count[thread] && ticks_.of[thread][earlier] <= tick) ++earlier;
  return earlier;
}

std::uint64_t RaceState::ranks(const Clock& clock) const {
  std::uint64_t all = 0;
  for (unsigned left = ticks_.threads; left != 0; left &= left - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(left));
    all = all << 8U | rank(i, clock[i]);
  }
  return all;
}

// As they are, which costs equal states.
StateKey RaceState::hash_of_ticks() const {
  Sum sum;
  const auto add_all = [&](const void* from, std::size_t size) {
    const auto* words = static_cast<const std::uint64_t*>(from);
    for (std::size_t i = 0; i < size / sizeof *words; ++i) sum.add(words[i], i);
  };
  for (const Touch& touch : touches_) add_all(&touch, sizeof touch);
  add_all(syncs_.data(), syncs_.size() * sizeof(Sync));
  add_all(&clocks_, sizeof clocks_);
  return sum.key();
}

// Ticks are replaced by how many of the kept touches of that thread are not later.
StateKey RaceState::hash() const {
  if (touches_.empty()) return {};
  if (!collect_ticks()) return hash_of_ticks();
  Sum sum;
  for (const Touch& touch : touches_) {
    sum.add(touch.word,
            (std::uint64_t{touch.bytes} << 24U | std::uint64_t{touch.thread} << 16U | touch.kind << 8U) +
                rank(touch.thread, touch.tick));
  }
  for (const Sync& sync : syncs_) {
    if (const std::uint64_t knows = ranks(sync.released); knows != 0) sum.add(~sync.address, knows);
  }
  // Not whether there was a fence, or a relaxed load of something that was released and is not forgotten yet: only what is known by it.
  for (std::size_t i = 0; clocks_.fences != 0 && i < clocks_.threads; ++i) {
    const std::uint64_t seen = ranks(clocks_.seen_relaxed[i]);
    const std::uint64_t fenced = ranks(clocks_.fenced[i]);
    if ((seen | fenced) != 0) sum.add(detail::mix(i, seen), fenced);
  }
  StateKey known;
  for (std::size_t i = 0; i < clocks_.threads; ++i) {
    known.low = detail::mix(known.low, ranks(clocks_.now[i]));
    known.high = detail::mix(known.high + 1, known.low);
  }
  sum.add(known.low, known.high);
  return sum.key();
}

std::size_t RaceState::saved_size() const {
  return 16 + sizeof clocks_ + touches_.size() * sizeof(Touch) + syncs_.size() * sizeof(Sync);
}

char* RaceState::save(char* to) const {
  const std::array<std::uint64_t, 2> sizes{touches_.size(), syncs_.size()};
  const auto put = [&](const void* from, std::size_t size) {
    std::memcpy(to, from, size);
    to += size;
  };
  put(&sizes, sizeof sizes);
  put(&clocks_, sizeof clocks_);
  put(touches_.data(), touches_.size() * sizeof(Touch));
  put(syncs_.data(), syncs_.size() * sizeof(Sync));
  return to;
}

const char* RaceState::restore(const char* from) {
  std::array<std::uint64_t, 2> sizes{};
  const auto take = [&](void* to, std::size_t size) {
    std::memcpy(to, from, size);
    from += size;
  };
  take(&sizes, sizeof sizes);
  take(&clocks_, sizeof clocks_);
  touches_.resize(sizes[0]);
  syncs_.resize(sizes[1]);
  take(touches_.data(), touches_.size() * sizeof(Touch));
  take(syncs_.data(), syncs_.size() * sizeof(Sync));
  return from;
}

}  // namespace plumb::engine
