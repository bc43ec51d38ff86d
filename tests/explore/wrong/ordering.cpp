// Too weak an order between threads: what the race detector must see, and what is no race.
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
TEST(WideAtomic, RacesWithItsSecondWord) { expect_found(half_of_a_wide_atomic, FindingKind::kRace); }

}  // namespace
