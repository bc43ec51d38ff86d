// "Did you mean …?" must help with typing errors, and be silent where nothing is near.
#include "base/suggest.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace plumb {
namespace {

const std::vector<std::string> kModels = {"register",       "counter", "queue",   "stack",
                                          "priority-queue", "set",     "multiset"};

std::string meant(std::string_view word) { return nearest(word, kModels).value_or("nothing"); }

TEST(Suggest, TypingErrors) {
  EXPECT_EQ(meant("regsiter"), "register");
  EXPECT_EQ(meant("quue"), "queue");
  EXPECT_EQ(meant("stakc"), "stack");
  EXPECT_EQ(meant("countr"), "counter");
  EXPECT_EQ(meant("sett"), "set");
}

TEST(Suggest, CaseDoesNotCount) {
  EXPECT_EQ(meant("QUEUE"), "queue");
  EXPECT_EQ(meant("Multiset"), "multiset");
}

TEST(Suggest, TheBeginningOfANameIsEnough) { EXPECT_EQ(meant("prio"), "priority-queue"); }

TEST(Suggest, NothingIsNear) {
  EXPECT_EQ(meant("zookeeper"), "nothing");
  EXPECT_EQ(meant(""), "nothing");
  EXPECT_EQ(meant(std::string(10'000, 'q')), "nothing");
  EXPECT_EQ(nearest("queue", {}), std::nullopt);
}

TEST(Suggest, AsAPartOfASentence) {
  EXPECT_EQ(did_you_mean("quue", kModels), " (did you mean 'queue'?)");
  EXPECT_EQ(did_you_mean("zookeeper", kModels), "");
}

}  // namespace
}  // namespace plumb
