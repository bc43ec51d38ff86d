// The figures behind `plumb depth`.
#include <plumb/depth.hpp>

#include <algorithm>

#include "check/hitting/depth_figures.hpp"
#include "check/hitting/hitting_family.hpp"
#include "check/partition.hpp"
#include "check/plan.hpp"

namespace plumb {
namespace {

// Adds the families of one part; what cannot be counted for one cannot be for all.
void add_families(const Part& part, const Budget& budget,
                  std::vector<std::optional<std::uint64_t>>& families) {
  const HittingPoset poset(part);
  for (unsigned depth = 1; depth <= families.size(); ++depth) {
    auto& sum = families[depth - 1];
    const auto size = sum ? hitting_family_size(poset, depth, budget) : std::nullopt;
    if (!size) {
      std::fill(families.begin() + depth - 1, families.end(), std::nullopt);
      return;
    }
    sum = *sum + *size;
  }
}

}  // namespace

Result<DepthReport> measure_figures(const History& history, const Model& model, const CheckOptions& options,
                                    const Budget& budget) {
  auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  CheckOptions hitting = options;
  hitting.engine = Engine::kHitting;
  DepthReport report;
  report.families.assign(options.max_depth, 0);
  const Partition partition(*bound, make_plan(*bound, hitting).partition);
  for (const Part& part : partition.parts()) {
    const Concurrency concurrency = concurrency_of(part);
    ++report.parts;
    report.concurrency = std::max(report.concurrency, concurrency.level);
    report.concurrent_pairs += concurrency.pairs;
    add_families(part, budget, report.families);
  }
  return report;
}

Result<DepthReport> measure_depth(const History& history, const Model& model, const CheckOptions& options) {
  const Budget budget(options.timeout, options.stop);
  CheckOptions hitting = options;
  hitting.engine = Engine::kHitting;
  auto verdict = check(history, model, hitting);
  if (!verdict) return verdict.error();
  auto report = measure_figures(history, model, options, budget);
  if (report) report->verdict = std::move(*verdict);
  return report;
}

}  // namespace plumb
