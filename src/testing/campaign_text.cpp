// What is said of a campaign in which nothing was found: what was exhausted, and what the walks have met beside that.
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_of.hpp"
#include "testing/campaign_run.hpp"
#include "testing/shape.hpp"
#include "testing/test_run.hpp"

namespace plumb::testing {
namespace {

// "a", "a and b", "a, b and c"
std::string listed(const std::vector<std::string>& items) {
  if (items.empty()) return "";
  if (items.size() == 1) return items.front();
  return fmt::format("{} and {}", fmt::join(items.begin(), items.end() - 1, ", "), items.back());
}

std::string schedules_within(std::optional<unsigned> preemptions) {
  return preemptions ? fmt::format("every schedule with at most {}", count_of(*preemptions, "preemption"))
                     : "every schedule";
}

// "all of 2x1, 3x1 and 2x2", or how many of a shape that has too many.
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
  if (!all.empty()) some.insert(some.begin(), "all of " + listed(all));
  return listed(some);
}

// "and 61 scenarios of 3x3 with at most 2 preemptions"
std::string further_part(const std::vector<ExhaustedShape>& shapes) {
  std::vector<std::string> parts;
  for (const ExhaustedShape& each : shapes) {
    const bool all = each.scenarios == each.existing;
    parts.push_back(fmt::format(
        "{}{} of {}{}", all ? "all " : "", count_of(each.scenarios, "scenario"),
        to_text(Shape{each.threads, each.operations}),
        each.preemptions ? fmt::format(" with at most {}", count_of(*each.preemptions, "preemption")) : ""));
  }
  return parts.empty() ? "" : fmt::format("and {}\n", listed(parts));
}

std::string walks(const CampaignFigures& figures) {
  if (figures.walks == 0) return "";
  return fmt::format(
      "and {} at random in {}: {} of {} {} overlapped; about {:.2g} % of further ones would show a new "
      "history\n",
      count_of(figures.walks, "execution"), count_of(figures.walked, "scenario"), figures.overlapped,
      figures.pairs, noun_for(figures.pairs, "pair") + " of operations", 100 * figures.unmet);
}

}  // namespace

std::string campaign_text(const TestOptions& options, const TestResult& result) {
  const CampaignFigures& figures = *result.campaign;
  const std::string counts = fmt::format("{}, {}", count_of(result.executions, "execution"),
                                         count_of(result.histories, "distinct history"));
  const auto bound = options.explore.preemptions.value_or(kAnyPreemptions).most();
  const std::string beyond = further_part(figures.further) + walks(figures);
  if (result.verdict == Outcome::kUnknown) {
    return fmt::format("unknown {}: {} of {} exhausted, {}; not {} of everything small was run: {}\n{}",
                       result.test, result.planned - result.unfinished.size(),
                       count_of(result.planned, "small scenario"), counts, schedules_within(bound),
                       result.message, beyond);
  }
  std::string text = fmt::format("pass {}: {}, {}, {} was run: {}\n{}", result.test,
                                 count_of(result.planned, "small scenario"), counts, schedules_within(bound),
                                 first_part(figures.first), beyond);
  if (result.unseen > 0) text += unseen_text(result);
  return text;
}

}  // namespace plumb::testing
