// Which scenarios the default campaign has: everything small first, which a pass is about, then what goes on as long as there is time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "testing/scenario.hpp"
#include "testing/shape.hpp"

namespace plumb::testing {

struct CampaignPlan {
  struct Part {
    Shape shape;
    bool is_first = false;     // has to be exhausted for a pass
    std::size_t begin = 0;     // its scenarios: the numbers from here
    std::size_t end = 0;       // up to here
    std::size_t existing = 0;  // see OfShape

    [[nodiscard]] std::size_t size() const { return end - begin; }
  };
  std::vector<Scenario> scenarios;  // those of the first part come first
  std::vector<Part> parts;

  [[nodiscard]] std::size_t first_size() const;  // scenarios that have to be exhausted
};

// 2x1, 3x1 and 2x2 have to be exhausted, then come 2x3, 3x2, 3x3 and, where that is larger, the shape that is asked for; none has more
// threads or operations than that.
[[nodiscard]] CampaignPlan plan_campaign(const TestCase& test, Shape largest, std::uint64_t seed);

}  // namespace plumb::testing
