#include "report/depth.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace plumb {

void Spread::add(double figure) {
  ++count;
  sum += figure;
  squares += figure * figure;
  most = std::max(most, figure);
}

double Spread::mean() const { return count == 0 ? 0 : sum / static_cast<double>(count); }

double Spread::deviation() const {
  if (count == 0) return 0;
  return std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean() * mean()));
}

void DepthSummary::add(std::string_view model, const History& history, const DepthReport& report) {
  auto group = std::ranges::find(groups_, model, &DepthGroup::model);
  if (group == groups_.end()) {
    group = groups_.emplace(groups_.end());
    group->model = model;
    group->families.resize(deepest_);
    group->proved.resize(deepest_);
  }
  ++group->histories;
  group->most_operations = std::max(group->most_operations, history.size());
  group->concurrency.add(static_cast<double>(report.concurrency));
  group->pairs.add(static_cast<double>(report.concurrent_pairs));
  if (report.concurrent_pairs == 0) {
    ++group->sequential;
    return;
  }
  for (std::size_t i = 0; i < report.families.size(); ++i) {
    if (report.families[i]) group->families[i].add(static_cast<double>(*report.families[i]));
  }
  if (report.verdict.outcome != Outcome::kHolds) return;
  ++group->linearizable;
  for (unsigned d = 1; d <= deepest_; ++d) {
    if (report.verdict.depth && *report.verdict.depth <= d) ++group->proved[d - 1];
  }
}

std::string DepthSummary::tables() const {
  std::string out = fmt::format("{:<27}{:>9}{:>11}   {:<19}{:<19}\n", "", "histories", "operations",
                                "open at once", "concurrent pairs");
  for (const DepthGroup& g : groups_) {
    out += fmt::format("{:<27}{:>9}{:>11}   {:>3.0f} {:>6.2f} ±{:<6.2f}  {:>5.0f} {:>6.2f} ±{:<6.2f}\n",
                       g.model, g.histories, g.most_operations, g.concurrency.most, g.concurrency.mean(),
                       g.concurrency.deviation(), g.pairs.most, g.pairs.mean(), g.pairs.deviation());
  }
  out += fmt::format("\n{:<27}", "schedules: most and mean");
  for (unsigned d = 1; d <= deepest_; ++d) out += fmt::format("{:>15}", fmt::format("d = {}", d));
  for (const DepthGroup& g : groups_) {
    out += fmt::format("\n{:<27}", g.model);
    for (const Spread& family : g.families) {
      out += fmt::format("{:>15}", fmt::format("{:.0f} {:>6.0f}", family.most, family.mean()));
    }
  }
  out += fmt::format("\n\n{:<27}{:>13}", "proved at depth d or less", "linearizable");
  for (unsigned d = 1; d <= deepest_; ++d) out += fmt::format("{:>9}", fmt::format("d = {}", d));
  for (const DepthGroup& g : groups_) {
    out += fmt::format("\n{:<27}{:>13}", g.model,
                       fmt::format("{} of {}", g.linearizable, g.histories - g.sequential));
    for (const std::size_t proved : g.proved) {
      const double share =
          g.linearizable == 0 ? 0 : 100.0 * static_cast<double>(proved) / static_cast<double>(g.linearizable);
      out += fmt::format("{:>9}", fmt::format("{:.1f} %", share));
    }
  }
  return out + "\n";
}

}  // namespace plumb
