// What is said of a campaign in which nothing was found: what was exhausted, and what the walks have met beside that.
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_of.hpp"
#include "explore/memory_models.hpp"
#include "testing/campaign_run.hpp"
#include "testing/coverage.hpp"
#include "testing/shape.hpp"
#include "testing/test_run.hpp"

namespace plumb::testing {
namespace {

constexpr double kMostOfNearlyAll = 10;  // of 100 executions, that show something new

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& items) {
  if (items.empty()) return "";
  if (items.size() == 1) return items.front();
  return fmt::format("{} and {}", fmt::join(items.begin(), items.end() - 1, ", "), items.back());
}

std::string schedules_within(const TestOptions& options) {
  if (const MemoryModel model = models_of(options).front(); model != MemoryModel::kSequential)
    return fmt::format("every execution under {}", engine::word_of(model));
  const auto preemptions = options.explore.preemptions.value_or(kAnyPreemptions).most();
  return preemptions ? fmt::format("every schedule with at most {}", count_of(*preemptions, "preemption"))
                     : "every schedule";
}

// "everything of 2x1, 3x1 and 2x2", or how many of a shape that has too many.
std::string first_part(const std::vector<ExhaustedShape>& shapes) {
  std::vector<std::string> all;
  std::vector<std::string> some;
  for (const ExhaustedShape& each : shapes) {
    const std::string shape = to_text(Shape{each.threads, each.operations});
    if (each.scenarios == each.existing) {
      all.push_back(shape);
    } else if (each.existing == 0) {
      some.push_back(fmt::format("{} of {}", each.scenarios, shape));
    } else {
      some.push_back(fmt::format("{} of the {} of {}", each.scenarios, each.existing, shape));
    }
  }
  if (!all.empty()) some.insert(some.begin(), "everything of " + listed(all));
  return listed(some);
}

// "and 61 scenarios of 3x3 with at most 2 preemptions"
std::string further_part(const std::vector<ExhaustedShape>& shapes) {
  std::vector<std::string> parts;
  for (const ExhaustedShape& each : shapes) {
    const bool all = each.scenarios == each.existing;
    const std::string within = each.preemptions
                                   ? fmt::format("with at most {}", count_of(*each.preemptions, "preemption"))
                                   : "through every schedule";
    parts.push_back(fmt::format("{}{} of {} {}", all ? "all " : "", count_of(each.scenarios, "scenario"),
                                to_text(Shape{each.threads, each.operations}), within));
  }
  return parts.empty() ? "" : fmt::format("and {}\n", listed(parts));
}

// A sample says little without how much it has left out.
std::string walks(const CampaignFigures& figures) {
  if (figures.walks == 0) return "";
  const std::string text =
      fmt::format("and, as a sample, {} of {} ({})", count_of(figures.walks, "random execution"),
                  count_of(figures.walked, "scenario"), count_of(figures.walk_histories, "distinct history"));
  // What the share of new histories means: how much of what such executions can show is in the sample.
  const double more = std::round(100 * figures.unmet);
  if (more < 1)
    return text + ": nearly all that such executions show; of 100 more hardly one would show another\n";
  const std::string_view rest = more <= kMostOfNearlyAll ? "most of what such executions show"
                                                         : "far from all that such executions show";
  return text + fmt::format(": {}; of 100 more about {} would show another\n", rest, more);
}

std::string counts_of(const std::vector<ExhaustedShape>& shapes) {
  std::uint64_t executions = 0;
  std::uint64_t histories = 0;
  for (const ExhaustedShape& each : shapes) {
    executions += each.executions;
    histories += each.histories;
  }
  return count_of(executions, "execution") + ", " + count_of(histories, "distinct history");
}

}  // namespace

std::string campaign_text(const TestOptions& options, const TestResult& result) {
  const CampaignFigures& figures = *result.campaign;
  const std::string counts = counts_of(figures.first);
  const std::string schedules = schedules_within(options);
  const std::string beyond = further_part(figures.further) + walks(figures);
  const std::string covered = result.coverage ? coverage_text(*result.coverage) : "";
  if (result.verdict == Outcome::kUnknown) {
    return fmt::format("unknown {}: {} of {} exhausted{}, {}; not {} of everything small was run: {}\n{}{}",
                       result.test, result.planned - result.unfinished.size(),
                       count_of(result.planned, "small scenario"), cut_off_text(result), counts, schedules,
                       result.message, beyond, covered);
  }
  std::string text =
      fmt::format("pass {}: {} (threads x operations), {}, through {}: {}\n{}", result.test,
                  first_part(figures.first), count_of(result.planned, "scenario"), schedules, counts, beyond);
  if (options.stop != nullptr && options.stop->load())
    text +=
        "It was interrupted: everything small had been run by then, and of what is larger only what is said "
        "here.\n";
  return text + covered + limits_text(result);
}

}  // namespace plumb::testing
