// Holds the plain search of a family of objects against the definition, on random histories in which values repeat.
#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include <plumb/model.hpp>

#include "proof/family_swept.hpp"
#include "spec/bind.hpp"
#include "support/scale.hpp"
#include "support/script.hpp"
#include "support/tiny.hpp"
#include "support/tiny_random.hpp"

namespace plumb::test {

template <class Sweep>
void expect_sweep_agrees(std::string_view name, Sweep&& sweep) {
  constexpr std::uint64_t kEnough = 1'000'000;
  const TinyObject& object = tiny_object(name);
  const Model& model = *find_model(name).value();
  TinyOracle oracle(object);
  std::size_t stuck = 0;
  const std::size_t count = scaled(30'000);
  for (const int values : {1, 2, 3}) {
    TinyRandom random(object, 10 * soak_seed() + static_cast<std::uint64_t>(values), values);
    for (std::size_t i = 0; i < count; ++i) {
      const TinyHistory tiny = random.make();
      const History history = to_history(tiny, object, 1);
      const auto bound = BoundHistory::bind(history, model);
      const FamilySwept swept = sweep(*bound, history.events(), kEnough);
      ASSERT_EQ(swept, oracle.is_linearizable(tiny) ? FamilySwept::kPassed : FamilySwept::kStuck)
          << Script::of(history).text();
      stuck += swept == FamilySwept::kStuck ? 1 : 0;
    }
  }
  EXPECT_GT(stuck, count / 3);
}

}  // namespace plumb::test
