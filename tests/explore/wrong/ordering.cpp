// Too weak an order between threads: what the race detector must see, and what is no race.
#include <array>
#include <atomic>
#include <memory>
#include <mutex>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

// Message passing with a flag of the given orders.
template <std::memory_order kStore, std::memory_order kLoad>
void message(plumb::Program& p) {
  int data = 0;
  std::atomic<bool> ready{false};
  p.thread([&] {
    data = 42;
    ready.store(true, kStore);
  });
  p.thread([&] {
    if (ready.load(kLoad)) p.require(data == 42, "the message arrives");
  });
  p.check([] { return true; });
}
using enum std::memory_order;
TEST(Message, RelaxedStoreRaces) { expect_found(message<relaxed, acquire>, FindingKind::kRace); }
TEST(Message, RelaxedLoadRaces) { expect_found(message<release, relaxed>, FindingKind::kRace); }
TEST(Message, ReleaseAcquireIsRight) {
  EXPECT_TRUE(plumb_tests::explore_and_replay(message<release, acquire>).passed());
}

template <bool kFences>
void message_by_fences(plumb::Program& p) {
  int data = 0;
  std::atomic<bool> ready{false};
  p.thread([&] {
    data = 42;
    if (kFences) std::atomic_thread_fence(release);
    ready.store(true, relaxed);
  });
  p.thread([&] {
    if (!ready.load(relaxed)) return;
    std::atomic_thread_fence(acquire);
    p.require(data == 42, "the message arrives");
  });
  p.check([] { return true; });
}
TEST(Message, FencesAreRight) {
  EXPECT_TRUE(plumb_tests::explore_and_replay(message_by_fences<true>).passed());
}
TEST(Message, AMissingFenceRaces) { expect_found(message_by_fences<false>, FindingKind::kRace); }

struct Packed {
  std::atomic<int> flag{0};
  int a = 0;
  short b = 0;
  short c = 0;
};
TEST(Message, NeighboursInAWordDoNotRace) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    Packed packed;
    p.thread([&] {
      packed.flag.store(1, relaxed);
      packed.a = 1;
    });
    p.thread([&] { packed.b = 1; });
    p.thread([&] { packed.c = packed.flag.load(relaxed) >= 0 ? 1 : 2; });
    p.check([&] { return packed.a + packed.b + packed.c == 3; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

void double_checked(plumb::Program& p) {
  std::mutex mutex;
  int value = 0;
  int* instance = nullptr;
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      if (instance == nullptr) {
        const std::lock_guard lock(mutex);
        if (instance == nullptr) {
          value = 42;
          instance = &value;
        }
      }
      p.require(*instance == 42, "initialised");
    });
  }
  p.check([] { return true; });
}
TEST(DoubleCheckedLocking, Races) { expect_found(double_checked, FindingKind::kRace); }

// What a thread did to some bytes of a word is not forgotten when it touches others of that word: in the one
// trace that shows the race, the second thread has been at the neighbour before it comes.
void neighbours(plumb::Program& p) {
  struct alignas(8) {
    int first = 0;
    int second = 0;
  } word;
  std::mutex of_first;
  std::mutex of_second;
  p.thread([&] {
    {
      const std::lock_guard lock(of_first);
      ++word.first;
    }
    const std::lock_guard lock(of_second);
    ++word.second;
  });
  p.thread([&] {
    const std::lock_guard lock(of_second);
    ++word.second;
    p.require(word.first <= 1, "read with the wrong lock");
  });
  p.check([] { return true; });
}
TEST(Neighbours, ARaceAtOneIsNotHiddenByTheOther) { expect_found(neighbours, FindingKind::kRace); }

// Of two adjacent members one is asked for. That g++ would like to load both is no race of the source.
struct Either {
  std::array<std::mutex, 2> mutexes;
  int first = 0;
  int second = 0;
  [[gnu::noinline]] int add(std::size_t which) {
    const std::lock_guard lock(mutexes[which]);
    return which == 0 ? first : second++;
  }
};
void either(plumb::Program& p) {
  Either both;
  const std::atomic<std::size_t> chosen{1};  // which the compiler does not know
  p.thread([&] { p.require(both.add(chosen.load()) == 0, "the second one"); });
  p.thread([&] {
    const std::lock_guard lock(both.mutexes[0]);
    ++both.first;
  });
  p.check([] { return true; });
}
TEST(Neighbours, AskingForOneIsNoRaceWithTheOther) {
  EXPECT_TRUE(plumb_tests::explore_and_replay(either).passed());
}

// All sixteen bytes of a wide atomic are watched, not only the first word.
struct alignas(16) Wide {
  std::uint64_t first;
  std::uint64_t second;
};
void half_of_a_wide_atomic(plumb::Program& p) {
  std::atomic<Wide> wide{Wide{0, 0}};
  p.thread([&] { wide.store(Wide{1, 1}); });
  p.thread([&] { reinterpret_cast<volatile std::uint64_t*>(&wide)[1] = 2; });
  p.check([] { return true; });
}
// Too wide for an instruction: what compares it is part of the step, not a plain read beside it.
struct Three {
  long first = 0;
  long second = 0;
  long third = 0;
};
void three_words(plumb::Program& p) {
  std::atomic<Three> sum{Three{}};
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      Three old = sum.load();
      while (!sum.compare_exchange_strong(old, Three{old.first + 1, old.second + 1, old.third})) {
      }
    });
  }
  p.check([&] { return sum.load().first == 2; });
}
TEST(WideAtomic, ComparesWithoutARace) { EXPECT_TRUE(plumb_tests::explore_and_replay(three_words).passed()); }
TEST(WideAtomic, RacesWithItsSecondWord) { expect_found(half_of_a_wide_atomic, FindingKind::kRace); }

}  // namespace
