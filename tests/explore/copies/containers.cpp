// What the standard library's containers do out of line, in libstdc++.so, which has no hooks: the links of
// lists, the trees of maps and sets, the bytes that are hashed. Those are accesses like any other: without an
// order they race, with one they do not.
#include <functional>
#include <iterator>
#include <list>
#include <map>
#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <string_view>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

volatile bool g_sink = false;
void keep(bool seen) { g_sink = seen; }

using List = std::list<int>;
using Map = std::map<int, int>;
using Set = std::set<int>;

template <class T>
struct Shared {
  T value;
  std::mutex lock;
};

// One thread does `change` with the lock, the other one `use`, without it or with it.
template <class T, class Make, class Use, class Change>
void beside(plumb::Program& p, bool locked, Make make, Use use, Change change) {
  Shared<T> shared{make(), {}};
  p.thread([&shared, change] {
    const std::lock_guard lock(shared.lock);
    change(shared.value);
  });
  p.thread([&shared, use, locked] {
    std::unique_lock lock(shared.lock, std::defer_lock);
    if (locked) lock.lock();
    use(shared.value);
  });
  p.check([] { return true; });
}

// `use` of `shared`, a T that was `made`, races with `change`; where both hold the lock it does not.
#define RACES(suite, name, T, made, change, ...)                                                       \
  template <bool kLocked>                                                                              \
  void suite##name(plumb::Program& p) {                                                                \
    beside<T>(                                                                                         \
        p, kLocked, [] { return T made; }, [](T& shared) { __VA_ARGS__; }, [](T& shared) { change; }); \
  }                                                                                                    \
  TEST(suite, name) { expect_found(suite##name<false>, FindingKind::kRace); }                          \
  TEST(suite, name##WithTheLock) {                                                                     \
    const auto result = plumb::explore(suite##name<true>);                                             \
    EXPECT_TRUE(result.passed() && result.exhausted) << result.text();                                 \
  }

RACES(Lists, EmptyBesidePushBack, List, {}, shared.push_back(1), keep(shared.empty()))
RACES(Lists, EmptyBesidePopFront, List, {1}, shared.pop_front(), keep(shared.empty()))
RACES(Lists, BackBesidePushBack, List, {1}, shared.push_back(2), keep(shared.back() == 1))
RACES(Lists, NextBesideInsert, List, ({1, 2}), shared.insert(std::next(shared.begin()), 3),
      keep(std::next(shared.begin()) == shared.end()))
RACES(Lists, EmptyBesideSplice, List, {}, List other{1};
      shared.splice(shared.end(), other), keep(shared.empty()))
RACES(Lists, FrontBesideReverse, List, ({1, 2}), shared.reverse(), keep(shared.front() == 1))
RACES(Lists, EmptyBesideSwap, List, {}, List other{1}; shared.swap(other), keep(shared.empty()))
RACES(Lists, EmptyBesideSwapWithEmpty, List, {1}, List other; shared.swap(other), keep(shared.empty()))
RACES(Lists, BackBesideSwapOfBoth, List, {1}, List other{2}; shared.swap(other), keep(shared.back() == 1))

RACES(Trees, BeginBesideFirstInsert, Map, {}, shared.emplace(1, 1), keep(shared.begin() == shared.end()))
RACES(Trees, BeginBesideInsert, Set, {2}, shared.insert(1), keep(shared.begin() == shared.end()))
RACES(Trees, IterationBesideInsert, Map, ({{1, 1}, {2, 2}, {3, 3}}), shared.emplace(4, 4), int sum = 0;
      for (const auto& entry
           : shared) sum += entry.second;
      keep(sum == 6))
RACES(Trees, IterationBackBesideInsert, Set, ({2, 3, 4}), shared.insert(1),
      keep(std::accumulate(shared.rbegin(), shared.rend(), 0) == 9))
RACES(Trees, FindBesideInsert, Map, ({{1, 1}, {2, 2}}), shared.emplace(3, 3),
      keep(shared.find(3) == shared.end()))
RACES(Trees, LastBesideInsert, Set, {1}, shared.insert(2), keep(*std::prev(shared.end()) == 1))
RACES(Trees, BeginBesideErase, Set, {1}, shared.erase(1), keep(shared.begin() == shared.end()))
RACES(Trees, FindBesideEraseOfALeaf, Set, ({2, 3}), shared.erase(3), keep(shared.count(4) != 0))
RACES(Trees, FindBesideEraseOfTheRoot, Set, ({1, 2, 3}), shared.erase(2), keep(shared.count(0) != 0))

RACES(Hashes, OfAStringBesideItsChange, std::string, ("text"), shared[1] = 'a',
      keep(std::hash<std::string_view>()(std::string_view(shared.data(), 4)) == 0))

// Other nodes may be used at the same time.
TEST(Trees, ValuesDoNotRaceWithInserts) {
  const auto result = plumb::explore([](plumb::Program& p) {
    Map shared{{1, 1}, {5, 5}};
    int& value = shared.find(1)->second;
    p.thread([&] { shared.emplace(3, 3); });
    p.thread([&] { value = 7; });
    p.check([&] { return shared.size() == 3 && shared[1] == 7; });
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}
TEST(Lists, FarNodesDoNotRace) {
  const auto result = plumb::explore([](plumb::Program& p) {
    List shared{1, 2, 3, 4};
    const auto last = std::prev(shared.end());
    p.thread([&] { shared.insert(last, 7); });
    p.thread([&] { p.require(*std::next(shared.begin()) == 2, "not changed"); });
    p.check([&] { return shared.size() == 5; });
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}
TEST(Trees, FarNodesDoNotRace) {
  const auto result = plumb::explore([](plumb::Program& p) {
    Set shared{1, 2, 3, 4, 5, 6, 7, 8};
    p.thread([&] { shared.insert(9); });
    p.thread([&] { p.require(*std::next(shared.begin()) == 2, "not changed"); });
    p.check([&] { return shared.size() == 9; });
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

// An iterator to what another thread has erased.
TEST(Trees, IteratorsOfErasedNodes) {
  expect_found(
      [](plumb::Program& p) {
        Shared<Set> shared{{1, 2}, {}};
        const auto first = shared.value.begin();
        p.thread([&] {
          const std::lock_guard lock(shared.lock);
          shared.value.erase(1);
        });
        p.thread([&, first] {
          const std::lock_guard lock(shared.lock);
          if (shared.value.size() == 1) keep(std::next(first) == shared.value.end());
        });
        p.check([] { return true; });
      },
      FindingKind::kUseAfterFree);
}

// The trees are what they would be: every order of inserting and erasing, there and back again.
TEST(Trees, StayInOrder) {
  const auto result = plumb::explore([](plumb::Program& p) {
    p.thread([&p] {
      Set set;
      for (int i = 0; i < 64; ++i) set.insert(i * 37 % 64);
      for (int i = 0; i < 64; i += 2) set.erase(i * 29 % 64);
      List forth(set.begin(), set.end());
      List back(set.rbegin(), set.rend());
      back.reverse();
      p.require(forth == back && forth.size() == 32, "the same both ways");
      List other{100, 101};
      forth.splice(forth.begin(), other);
      forth.sort();
      p.require(other.empty() && forth.back() == 101 && forth.front() < 2, "sorted");
    });
    p.check([] { return true; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

}  // namespace
