// What the search of states remembers, against a map: through growth, whatever is asked for in between; and it forgets when it is full.
#include "explore/states/way_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <random>
#include <vector>

namespace {

using plumb::engine::StateKey;
using plumb::engine::WayTable;

struct Known {
  std::array<unsigned, 2> left{};
  std::uint32_t touches = 0;
};

TEST(WayTables, WhatIsKnownOfAStateIsThatOfAMap) {
  WayTable table(std::size_t{16} << 20U);
  std::map<std::uint64_t, Known> map;
  std::mt19937_64 random(1);
  std::vector<StateKey> keys(40'000);
  for (StateKey& key : keys) key = {random(), random()};
  // Some differ in no bit that says where they stand.
  for (std::size_t i = 0; i < 1'000; ++i) keys[i + 1'000] = {keys[i].low, ~keys[i].high};
  for (int i = 0; i < 300'000; ++i) {
    const std::size_t at = random() % keys.size();
    WayTable::Ways& ways = table.at(keys[at]);
    Known& known = map[at];
    for (int thread : {0, 1}) ASSERT_EQ(ways.of(thread * 7), known.left.at(static_cast<std::size_t>(thread)));
    ASSERT_EQ(ways.touches(), known.touches);
    if (random() % 4 == 0) {
      known = {.touches = static_cast<std::uint32_t>(random()) % WayTable::kMostTouches};
      ways.begin_anew(known.touches);
    } else {
      const std::size_t thread = random() % 2;
      known.left.at(thread) = random() % (WayTable::kMostLeft + 2);
      ways.set(static_cast<int>(thread) * 7, known.left.at(thread));
    }
  }
  EXPECT_EQ(table.size(), map.size());
}

TEST(WayTables, AStateGivesWayWhenThereIsNoRoom) {
  WayTable table(1);
  std::mt19937_64 random(2);
  for (int i = 0; i < 200'000; ++i) {
    WayTable::Ways& ways = table.at({random(), random()});
    ASSERT_EQ(ways.of(0), 0U);
    ASSERT_EQ(ways.touches(), 0U);
    ways.set(0, 3);
    ways.begin_anew(5);
  }
  EXPECT_LE(table.size(), 1U << 14U);
}

}  // namespace
