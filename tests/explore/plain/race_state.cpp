// What the search of states knows of races, against vector clocks as in the books: the same races, whatever threads do and wherever what
// they are about to do is known beforehand; and sets of touches that were met on several ways lead to all that each of them leads to.
#include "explore/states/race_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/rng.hpp"
#include "explore/states/race_sets.hpp"

namespace {

using plumb::Rng;
using plumb::engine::conflict;
using plumb::engine::Knowing;
using plumb::engine::RaceSets;
using plumb::engine::RaceState;
using plumb::engine::TouchKind;
using enum plumb::engine::TouchKind;
using plumb::runtime::Step;
using plumb::runtime::StepKind;

constexpr std::size_t kThreads = 3;
constexpr std::size_t kPlaces = 2;
constexpr Knowing kAll = (1U << kThreads) - 1;

struct Event {
  enum class Kind : std::uint8_t { kRead, kWrite, kLoad, kStore, kModify, kFence, kLock, kUnlock, kFree };
  Kind kind = Kind::kRead;
  std::size_t thread = 0;
  std::size_t where = 0;
  std::uint8_t order = 0;
};
using Events = std::vector<Event>;

bool acquires(std::uint8_t order) { return order == 2 || order >= 4; }
bool releases(std::uint8_t order) { return order >= 3; }

// The variables that the events are about; nothing is ever done to them. Atomic ones are also read, written and freed as others are.
struct Memory {
  std::array<std::uint64_t, kPlaces> atomic{};
  std::array<std::uint64_t, 2> plain{};
  std::array<std::uint64_t, kPlaces> mutex{};

  std::uint64_t* word(std::size_t where) {
    return where < kPlaces ? &atomic.at(where) : &plain.at(where - kPlaces);
  }
};
Memory g_memory;

Event random_event(Rng& random) {
  constexpr std::array<std::uint8_t, 4> kOrders{0, 2, 3, 5};
  Event event{.kind = static_cast<Event::Kind>(random.below(8)),
              .thread = random.below(kThreads),
              .where = random.below(2),
              .order = kOrders.at(random.below(kOrders.size()))};
  if (random.below(12) == 0) event.kind = Event::Kind::kFree;
  const bool is_plain = event.kind <= Event::Kind::kWrite || event.kind == Event::Kind::kFree;
  if (is_plain && random.below(4) != 0) event.where += kPlaces;
  if (event.kind == Event::Kind::kModify && random.below(2) == 0) event.order = 4;
  return event;
}
Events random_events(Rng& random, std::size_t count) {
  Events events(count);
  for (Event& event : events) event = random_event(random);
  return events;
}

// By the book: all that every thread did, and of what each knows.
class Clocks {
 public:
  // Whether it races with something before it.
  bool take(const Event& event) {
    const std::size_t self = event.thread;
    Clock& now = now_[self];
    ++now[self];
    using Kind = Event::Kind;
    switch (event.kind) {
      case Kind::kRead:
        return touch(event, kPlainRead);
      case Kind::kWrite:
        return touch(event, kPlainWrite);
      case Kind::kFree:
        return free(event);
      case Kind::kFence:
        if (acquires(event.order)) merge(now, seen_[self]);
        if (releases(event.order)) fenced_[self] = now;
        return false;
      case Kind::kLock:
        merge(now, mutex_[event.where]);
        return false;
      case Kind::kUnlock:
        merge(mutex_[event.where], now);
        return false;
      default:
        break;
    }
    if (touch(event, event.kind == Kind::kLoad ? kAtomicRead : kAtomicWrite)) return true;
    Clock& there = atomic_[event.where];
    if (event.kind != Kind::kStore) merge(acquires(event.order) ? now : seen_[self], there);
    if (event.kind == Kind::kLoad) return false;
    const Clock mine = releases(event.order) ? now : fenced_[self];
    if (event.kind == Kind::kStore) there = {};
    merge(there, mine);
    return false;
  }

 private:
  using Clock = std::array<unsigned, kThreads>;
  struct Touch {
    std::size_t where;
    std::size_t thread;
    unsigned tick;
    TouchKind kind;
  };
  static void merge(Clock& into, const Clock& from) {
    for (std::size_t i = 0; i < kThreads; ++i) into[i] = std::max(into[i], from[i]);
  }
  template <class F>
  bool is_unknown(const Event& event, F matters) const {
    return std::ranges::any_of(touches_, [&](const Touch& touch) {
      return touch.where == event.where && touch.tick > now_[event.thread][touch.thread] &&
             matters(touch.kind);
    });
  }
  bool touch(const Event& event, TouchKind kind) {
    const bool races = is_unknown(event, [&](TouchKind other) { return conflict(kind, other); });
    touches_.push_back({event.where, event.thread, now_[event.thread][event.thread], kind});
    return races;
  }
  bool free(const Event& event) {
    const bool races = is_unknown(event, [](TouchKind) { return true; });
    std::erase_if(touches_, [&](const Touch& touch) { return touch.where == event.where; });
    if (event.where < kPlaces) atomic_[event.where] = {};
    return races;
  }

  std::array<Clock, kThreads> now_{};
  std::array<Clock, kThreads> seen_{};
  std::array<Clock, kThreads> fenced_{};
  std::array<Clock, kPlaces> atomic_{};
  std::array<Clock, kPlaces> mutex_{};
  std::vector<Touch> touches_;
};

bool take(RaceState& state, const Event& event) {
  const int self = static_cast<int>(event.thread);
  using Kind = Event::Kind;
  const auto step = [&](StepKind kind) {
    return Step{.kind = kind, .order = event.order, .size = 8, .address = &g_memory.atomic[event.where]};
  };
  switch (event.kind) {
    case Kind::kRead:
    case Kind::kWrite:
      return state.access(self, g_memory.word(event.where), 8, event.kind == Kind::kWrite);
    case Kind::kFree:
      return state.free(self, g_memory.word(event.where), 8);
    case Kind::kFence:
      state.fence(self, event.order);
      return false;
    case Kind::kLock:
      state.acquire(self, &g_memory.mutex[event.where]);
      return false;
    case Kind::kUnlock:
      state.release(self, &g_memory.mutex[event.where]);
      return false;
    case Kind::kLoad:
      return state.atomic(self, step(StepKind::kLoad), false);
    case Kind::kStore:
      return state.atomic(self, step(StepKind::kStore), true);
    default:
      return state.atomic(self, step(StepKind::kModify), true);
  }
}

// What the next step of each thread acquires, as far as that is sure.
void foresee(RaceState& state, const Events& events, std::size_t from) {
  for (std::size_t thread = 0; thread < kThreads; ++thread) {
    const auto next = std::find_if(events.begin() + static_cast<std::ptrdiff_t>(from), events.end(),
                                   [&](const Event& event) { return event.thread == thread; });
    const void* place = nullptr;
    if (next != events.end()) {
      const bool modifies = next->kind == Event::Kind::kLoad || next->kind == Event::Kind::kModify;
      if (next->kind == Event::Kind::kLock) place = &g_memory.mutex[next->where];
      if (modifies && acquires(next->order)) place = &g_memory.atomic[next->where];
    }
    state.expect(static_cast<int>(thread), place);
  }
}

// From here on; at which event there is a race. Every so often what no longer matters is forgotten.
std::optional<std::size_t> run(RaceState& state, const Events& events, std::uint64_t seed) {
  Rng random(seed);
  for (std::size_t i = 0; i < events.size(); ++i) {
    foresee(state, events, i);
    if (random.below(2) == 0) state.tidy(kAll);
    if (take(state, events[i])) return i;
  }
  return std::nullopt;
}
void begin(RaceState& state) {
  state.begin();
  for (int thread = 1; thread < static_cast<int>(kThreads); ++thread) state.start(0, thread);
}

std::optional<std::size_t> race_by_clocks(const Events& events) {
  Clocks clocks;
  for (std::size_t i = 0; i < events.size(); ++i) {
    if (clocks.take(events[i])) return i;
  }
  return std::nullopt;
}

TEST(RaceStates, RacesAreThoseOfVectorClocks) {
  Rng random(1);
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const Events events = random_events(random, 4 + random.below(12));
    RaceState state;
    std::optional<std::size_t> race;
    do {  // once more with what was learnt, as a search does
      begin(state);
      race = run(state, events, i);
    } while (state.has_learnt());
    ASSERT_EQ(race, race_by_clocks(events)) << "sequence " << i;
    found += race ? 1 : 0;
  }
  EXPECT_GT(found, 5'000U);
  EXPECT_LT(found, 18'000U);
}

// Two ways to one state, and what may follow.
TEST(RaceStates, SetsTogetherLeadToWhatEachLeadsTo) {
  Rng random(2);
  std::size_t covered = 0;
  std::size_t found = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    std::array<Events, 2> ways;
    for (Events& way : ways) {
      do {
        way = random_events(random, 1 + random.below(6));
      } while (race_by_clocks(way));
    }
    const Events rest = random_events(random, 1 + random.below(6));
    RaceState state;
    RaceSets sets;
    std::array<RaceSets::Number, 2> met{};
    std::array<std::optional<std::size_t>, 2> races;
    do {
      for (std::size_t way = 0; way < 2; ++way) {
        begin(state);
        ASSERT_FALSE(run(state, ways.at(way), i));
        foresee(state, rest, 0);
        state.tidy(kAll);
        met.at(way) = sets.number(state.touches());
        races.at(way) = run(state, rest, i);
      }
    } while (state.has_learnt());
    const RaceSets::Number both = sets.both(met[0], met[1]);
    ASSERT_EQ(sets.both(met[1], met[0]), both);
    ASSERT_EQ(sets.both(both, met[1]), both);
    begin(state);
    state.set_touches(sets.of(both));
    const auto race = run(state, rest, i);
    ASSERT_EQ(race, !races[0]   ? races[1]
                    : !races[1] ? races[0]
                                : std::min(races[0], races[1]))
        << "sequence " << i;
    ASSERT_FALSE(state.has_learnt());
    if (both == met[0]) {
      ASSERT_TRUE(!races[1] || (races[0] && *races[0] <= *races[1])) << "sequence " << i;
      ++covered;
    }
    found += race ? 1 : 0;
  }
  EXPECT_GT(covered, 2'000U);
  EXPECT_GT(found, 2'000U);
}

// Parts of words, and accesses that lie in several of them: those race that have a byte in common, the other way round, too.
TEST(RaceStates, WhatHasNoByteInCommonDoesNotRace) {
  alignas(8) std::array<char, 32> memory{};
  constexpr std::array<std::size_t, 6> kSizes{1, 2, 4, 7, 8, 16};
  struct Access {
    std::size_t from;
    std::size_t size;
  };
  std::vector<Access> all;
  for (std::size_t from = 0; from < 16; ++from) {
    for (const std::size_t size : kSizes) all.push_back({from, size});
  }
  for (const Access& one : all) {
    for (const Access& other : all) {
      RaceState state;
      bool races = false;
      do {  // until it is known who shares what
        begin(state);
        ASSERT_FALSE(state.access(0, &memory.at(one.from), one.size, true));
        races = state.access(1, &memory.at(other.from), other.size, false);
      } while (state.has_learnt());
      EXPECT_EQ(races, one.from < other.from + other.size && other.from < one.from + one.size)
          << one.from << "+" << one.size << " and " << other.from << "+" << other.size;
    }
  }
}

}  // namespace
