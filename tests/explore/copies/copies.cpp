// Whole blocks of memory: assignments of structures, memcpy, memmove, memset, and what the standard library
// makes of them. Each is an access like any other, whatever the compiler makes of it: this is built at
// every level of optimisation.
#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string>

#include "explore/programs.hpp"

namespace {

// Constant expressions stay what they are, and so do other functions of these names.
static_assert(__builtin_strlen("abc") == 3 && std::char_traits<char>::compare("abc", "abd", 3) < 0);
constexpr std::size_t kLength = std::strlen("abc");
static_assert(kLength == 3 && __builtin_memcmp("abc", "abd", 3) < 0);
struct Named {
  const char* text;
  [[nodiscard]] constexpr std::size_t strlen() const { return __builtin_strlen(text); }
};
static_assert(Named{"abc"}.strlen() == 3);

using plumb::FindingKind;
using plumb_tests::expect_found;

struct Record {
  std::array<char, 40> text{};
  int number = 0;
};

Record g_shared;

// One thread does `change` to the whole, the other one reads a member, without any order between them.
template <class F>
void races_with(plumb::Program& p, F change) {
  p.thread([=] { change(g_shared); });
  p.thread([&p] { p.require(g_shared.number >= 0, "readable"); });
  p.check([] { return true; });
}

#define RACES(name, ...)                                                                        \
  TEST(Copies, name) {                                                                          \
    expect_found([](plumb::Program& p) { races_with(p, [](Record& shared) { __VA_ARGS__; }); }, \
                 FindingKind::kRace);                                                           \
  }

std::size_t size_of_a_record() {
  volatile std::size_t size = sizeof(Record);
  return size;
}

RACES(Assignment, shared = Record{})
RACES(AssignmentOfAnother, Record local; local.number = 1; shared = local)
RACES(Memcpy, const Record local; std::memcpy(&shared, &local, sizeof local))
RACES(MemcpyOfAnySize, const Record local; std::memcpy(&shared, &local, size_of_a_record()))
RACES(MemmoveWithin, std::memmove(&shared.text[8], &shared.text[0], sizeof shared - 8))
RACES(Memset, std::memset(static_cast<void*>(&shared), 0, sizeof shared))
RACES(MemsetOfAnySize, std::memset(static_cast<void*>(&shared), 0, size_of_a_record()))
RACES(StandardCopy, const Record local[2] = {}; std::copy(local, local + 1, &shared))
RACES(StandardCopyBackward, const Record local[2] = {}; std::copy_backward(local, local + 1, &shared + 1))
RACES(StandardMove, Record local[2]; std::move(local, local + 1, &shared))
RACES(StandardFill, std::fill_n(reinterpret_cast<char*>(&shared), size_of_a_record(), '\0'))

// A copy of what another thread writes is a race, too: it reads.
TEST(Copies, ReadsRace) {
  expect_found(
      [](plumb::Program& p) {
        p.thread([] { g_shared.number = 1; });
        p.thread([&p] {
          Record copy;
          std::memcpy(&copy, &g_shared, size_of_a_record());
          p.require(copy.number >= 0, "copied");
        });
        p.check([] { return true; });
      },
      FindingKind::kRace);
}

TEST(Copies, StringsRace) {
  expect_found(
      [](plumb::Program& p) {
        std::string shared(100, 'x');
        p.thread([&] { shared.assign(size_of_a_record(), 'y'); });
        p.thread([&] { p.require(std::string(shared.data(), size_of_a_record())[1] != '\0', "copied"); });
        p.check([] { return true; });
      },
      FindingKind::kRace);
}

// With an order between them, and of different parts, it is right.
TEST(Copies, InOrderTheyDoNotRace) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    Record shared;
    std::atomic<bool> ready{false};
    p.thread([&] {
      Record local;
      local.number = 7;
      shared = local;
      ready.store(true, std::memory_order_release);
    });
    p.thread([&] {
      if (!ready.load(std::memory_order_acquire)) return;
      Record copy;
      std::memcpy(&copy, &shared, size_of_a_record());
      p.require(copy.number == 7, "all of it arrives");
    });
    p.check([&] { return shared.number == 7; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}
TEST(Copies, NeighboursDoNotRace) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    std::array<char, 64> shared{};
    p.thread([&] { std::memset(shared.data(), 1, size_of_a_record() % 40); });
    p.thread([&] { std::memset(shared.data() + size_of_a_record() % 40, 2, 60 - size_of_a_record() % 40); });
    p.check([&] { return shared[0] + shared[50] == 3; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

// Freed by one, copied by the other.
template <class F>
void used_after_free(plumb::Program& p, F use) {
  std::atomic<Record*> slot{new Record};
  Record* mine = slot;
  p.thread([&] { delete slot.exchange(nullptr); });
  p.thread([&, mine] {
    if (slot.load() == nullptr) use(p, *mine);
  });
  p.check([] { return true; });
  delete slot.load();
}
TEST(Copies, MemcpyAfterFree) {
  expect_found(
      [](plumb::Program& p) {
        used_after_free(p, [](plumb::Program& p, const Record& record) {
          Record copy;
          std::memcpy(&copy, &record, sizeof copy);
          p.require(copy.number >= 0, "copied");
        });
      },
      FindingKind::kUseAfterFree);
}
TEST(Copies, AssignmentAfterFree) {
  expect_found(
      [](plumb::Program& p) {
        used_after_free(p, [](plumb::Program&, Record& record) { record = Record{}; });
      },
      FindingKind::kUseAfterFree);
}
TEST(Copies, MemsetAfterFree) {
  expect_found(
      [](plumb::Program& p) {
        used_after_free(p, [](plumb::Program&, Record& record) {
          std::memset(static_cast<void*>(&record), 0, sizeof record);
        });
      },
      FindingKind::kUseAfterFree);
}
TEST(Copies, PastTheEndOfABlock) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    auto* block = new char[32];
    p.thread([=] { std::memset(block, 0, size_of_a_record() * 2); });
    p.check([] { return true; });
    delete[] block;
  });
  EXPECT_EQ(result.kind, FindingKind::kUseAfterFree) << result.text();
}

}  // namespace
