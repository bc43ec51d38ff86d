#include "explore/states/race_state.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include <plumb/detail/mix.hpp>

namespace plumb::engine {
namespace {

// Memory orders, as the compilers number them.
bool acquires(std::uint8_t order) { return order != 0 && order != 3; }
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

RaceState::Sync* RaceState::find(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (Sync& sync : syncs_) {
    if (sync.address == at) return &sync;
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

RaceState::Word& RaceState::word_of(std::uintptr_t word) {
  const auto find = [&]() -> Word& {
    std::size_t at = word * 0x9E37'79B9'7F4A'7C15ULL >> 32U;
    while (words_[at & (words_.size() - 1)].word != 0 && words_[at & (words_.size() - 1)].word != word) ++at;
    return words_[at & (words_.size() - 1)];
  };
  Word& found = find();
  if (found.word != 0) return found;
  if (++known_words_ * 2 <= words_.size()) {
    found.word = word;
    return found;
  }
  std::vector<Word> old(words_.size() * 2);
  old.swap(words_);
  known_words_ = 0;
  for (const Word& each : old) {
    if (each.word != 0) word_of(each.word) = each;
  }
  return word_of(word);
}

bool RaceState::matters(const Word& word, int thread, std::uint8_t kind) {
  unsigned others = 0;
  for (std::size_t other = 0; other < word.by.size(); ++other) {
    if (conflict(kind, static_cast<std::uint8_t>(other))) others |= word.by[other];
  }
  return (others & ~(1U << static_cast<unsigned>(thread))) != 0;
}

// If a touch that did not matter does now, something was left out before.
const RaceState::Word& RaceState::learn(int thread, std::uintptr_t word, Kind kind) {
  Word& known = word_of(word);
  const auto self = static_cast<std::uint8_t>(1U << static_cast<unsigned>(thread));
  if ((known.by[kind] & self) != 0) return known;
  const Word before = known;
  known.by[kind] = static_cast<std::uint8_t>(known.by[kind] | self);
  for (std::size_t other = 0; other < before.by.size(); ++other) {
    const auto other_kind = static_cast<std::uint8_t>(other);
    for (unsigned left = before.by[other]; left != 0; left &= left - 1) {
      const int owner = std::countr_zero(left);
      learnt_ |= matters(known, owner, other_kind) && !matters(before, owner, other_kind);
    }
  }
  return known;
}

bool RaceState::touch(int thread, std::uintptr_t word, std::uint8_t bytes, Kind kind) {
  const Clock& now = clocks_.now[index(thread)];
  if (!matters(learn(thread, word, kind), thread, kind)) return false;
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

// To free memory is to write all of it; from then on whoever touches it is wrong anyway, whatever comes before what.
bool RaceState::free(int thread, const void* address, std::size_t size) {
  const auto first = reinterpret_cast<std::uintptr_t>(address);
  const Clock& now = clocks_.now[index(thread)];
  for (std::uintptr_t word = first / 8; word * 8 < first + size; ++word) learn(thread, word, kPlainWrite);
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
  std::erase_if(syncs_,
                [&](const Sync& sync) { return sync.address / 8 >= first / 8 && sync.address < last; });
}

void RaceState::tidy(std::uint32_t alive) {
  Clock known;
  known.fill(0xFFFF);
  for (std::uint32_t left = alive; left != 0; left &= left - 1) {
    const auto self = static_cast<std::size_t>(std::countr_zero(left));
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

// Ticks are replaced by how many of the kept touches of that thread are not later.
void RaceState::add_to(StateHash& hash) const {
  std::array<std::array<Tick, 32>, kMostThreads> ticks;  // NOLINT: of each thread, in order
  std::array<unsigned, kMostThreads> count{};
  for (const Touch& touch : touches_) {
    auto& own = ticks[touch.thread];
    unsigned& many = count[touch.thread];
    unsigned at = many;
    while (at > 0 && own[at - 1] > touch.tick) --at;
    if (at > 0 && own[at - 1] == touch.tick) continue;
    if (many == own.size()) {  // too many to be told apart: the ticks themselves, which costs equal states
      for (const Touch& each : touches_) hash.add(&each, sizeof each);
      hash.add(syncs_.data(), syncs_.size() * sizeof(Sync));
      hash.add(&clocks_, sizeof clocks_);
      return;
    }
    for (unsigned i = many; i > at; --i) own[i] = own[i - 1];
    own[at] = touch.tick;
    ++many;
  }
  const auto rank = [&](std::size_t thread, Tick tick) {
    std::uint64_t earlier = 0;
    while (earlier < count[thread] && ticks[thread][earlier] <= tick) ++earlier;
    return earlier;
  };
  const std::size_t threads = clocks_.threads;
  const auto ranks = [&](const Clock& clock) {
    std::uint64_t all = 0;
    for (std::size_t i = 0; i < threads; ++i) all = all << 8U | (count[i] != 0 ? rank(i, clock[i]) : 0);
    return all;
  };
  // In whatever order they are kept.
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  const auto add = [&](std::uint64_t a, std::uint64_t b) {
    low += detail::mix(detail::mix(1, a), b);
    high += detail::mix(detail::mix(2, b), a);
  };
  for (const Touch& touch : touches_) {
    add(touch.word,
        (std::uint64_t{touch.bytes} << 24U | std::uint64_t{touch.thread} << 16U | touch.kind << 8U) +
            rank(touch.thread, touch.tick));
  }
  for (const Sync& sync : syncs_) {
    if (const std::uint64_t knows = ranks(sync.released); knows != 0) add(~sync.address, knows);
  }
  // Not whether there was a fence, or a relaxed load of something that was released and is not forgotten yet: only what is known by it.
  for (std::size_t i = 0; clocks_.fences != 0 && i < threads; ++i) {
    const std::uint64_t seen = ranks(clocks_.seen_relaxed[i]);
    const std::uint64_t fenced = ranks(clocks_.fenced[i]);
    if ((seen | fenced) != 0) add(detail::mix(i, seen), fenced);
  }
  hash.add(low, high);
  if (low == 0 && high == 0) return;
  for (std::size_t i = 0; i < threads; ++i) hash.add(ranks(clocks_.now[i]), i);
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
