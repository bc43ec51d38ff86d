#include "testing/campaign_plan.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace plumb::testing {
namespace {

// Of a shape. A class with many operations has more, which no minute is enough for; then so many are drawn.
constexpr std::size_t kMost = 500;

constexpr std::array kFirst{Shape{2, 1}, Shape{3, 1}, Shape{2, 2}};
constexpr std::array kFurther{Shape{2, 3}, Shape{3, 2}, Shape{3, 3}};

void add(const TestCase& test, Shape shape, bool is_first, std::uint64_t seed, CampaignPlan& plan) {
  OfShape found = of_shape(test, shape, kMost, seed);
  if (found.scenarios.empty()) return;  // where groups leave too few threads
  sort_by_variety(found.scenarios, test);
  const std::size_t begin = plan.scenarios.size();
  std::ranges::move(found.scenarios, std::back_inserter(plan.scenarios));
  plan.parts.push_back({.shape = shape,
                        .is_first = is_first,
                        .begin = begin,
                        .end = plan.scenarios.size(),
                        .existing = found.existing});
}

}  // namespace

std::size_t CampaignPlan::first_size() const {
  std::size_t size = 0;
  for (const Part& part : parts) size += part.is_first ? part.size() : 0;
  return size;
}

CampaignPlan plan_campaign(const TestCase& test, Shape largest, std::uint64_t seed) {
  CampaignPlan plan;
  const auto fits = [&](Shape shape) {
    return shape.threads <= largest.threads && shape.operations <= largest.operations;
  };
  for (const Shape shape : kFirst) {
    if (fits(shape)) add(test, shape, true, seed, plan);
  }
  const bool is_known = std::ranges::find(kFirst, largest) != kFirst.end() ||
                        std::ranges::find(kFurther, largest) != kFurther.end();
  if (plan.scenarios.empty()) {  // one thread, or operations that one thread has to call
    add(test, largest, true, seed, plan);
    return plan;
  }
  for (const Shape shape : kFurther) {
    if (fits(shape)) add(test, shape, false, seed, plan);
  }
  if (!is_known) add(test, largest, false, seed, plan);
  return plan;
}

}  // namespace plumb::testing
