// Finding words for what was found: it takes as long as it takes, and the names are those that libdw itself would give.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <plumb/explore.hpp>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "explore/dwarf.hpp"
#include "runtime/control.hpp"
#include "runtime/watchdog.hpp"

namespace {

using plumb::engine::dwarf::Die;

// As where a race is told from the debug information of a large program: the time ends meanwhile, and the patience after it.
TEST(Words, TakeLongerThanTheTimeAndTheFindingStands) {
  plumb::ExploreOptions options;
  options.timeout = std::chrono::milliseconds(200);
  int runs = 0;
  int& outside = runs;
  const auto result = plumb::explore(
      [&](plumb::Program& p) {
        p.thread([&] {
          if (++outside == 2) {  // the first one warms up, the second counts
            const plumb::runtime::EngineScope in_engine;
            const plumb::runtime::FindingWords finding;
            const auto until = std::chrono::steady_clock::now() + std::chrono::milliseconds(3'500);
            while (std::chrono::steady_clock::now() < until) usleep(10'000);
          }
          p.require(false, "found");
        });
        p.run();
      },
      options);
  EXPECT_EQ(result.kind, plumb::FindingKind::kCheck) << result.text();
}

class Scopes : public testing::Test {
 protected:
  Scopes() : file_(open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), dwarf_(dwarf_begin(file_, DWARF_C_READ)) {}
  ~Scopes() override {
    dwarf_end(dwarf_);
    close(file_);
  }

  void compare(Die die) {
    Die* found = nullptr;
    // Of the unit itself the library says nothing.
    if (const int count = compared_++ % 50 == 0 ? dwarf_getscopes_die(&die, &found) : 0; count > 0) {
      const std::vector<Die> expected(found, found + count);
      std::free(found);
      const std::vector<Die> own = plumb::engine::dwarf::scopes(die);
      ASSERT_EQ(own.size(), expected.size()) << std::hex << dwarf_dieoffset(&die);
      for (std::size_t i = 0; i < own.size(); ++i) ASSERT_EQ(own[i].addr, expected[i].addr);
    }
    plumb::engine::dwarf::each_child(die, [&](Die child) {
      if (compared_ < kMost) compare(child);
    });
  }

  static constexpr int kMost = 20'000;
  int compared_ = 0;
  int file_;
  Dwarf* dwarf_;
};

TEST_F(Scopes, AreThoseOfTheLibrary) {
  ASSERT_NE(dwarf_, nullptr);
  Dwarf_CU* unit = nullptr;
  Die die;
  while (dwarf_get_units(dwarf_, unit, &unit, nullptr, nullptr, &die, nullptr) == 0 && compared_ < kMost)
    compare(die);
  EXPECT_GT(compared_, 1'000) << "it was compiled without -g";
}

}  // namespace
