// What is said of a test under weak memory models: what was run there, or why nothing was.
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_of.hpp"
#include "explore/memory_models.hpp"
#include "testing/shape.hpp"
#include "testing/test_run.hpp"

namespace plumb::testing {
namespace {

// "all of 2x1 and 3x1, 12 of the 30 of 2x2"
std::string shapes_of(const std::vector<ExhaustedShape>& shapes) {
  std::vector<std::string> parts;
  for (const ExhaustedShape& each : shapes) {
    const std::string shape = to_text(Shape{each.threads, each.operations});
    if (each.scenarios == each.existing) {
      parts.push_back("all of " + shape);
    } else if (each.existing == 0) {
      parts.push_back(fmt::format("{} of {}", each.scenarios, shape));
    } else {
      parts.push_back(fmt::format("{} of the {} of {}", each.scenarios, each.existing, shape));
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

// "47 small scenarios and 12 larger ones"
std::string scenarios_of(const ModelFigures& figures) {
  if (figures.shapes.empty()) return count_of(figures.scenarios, "scenario");
  std::size_t larger = 0;
  for (const ExhaustedShape& each : figures.further) larger += each.scenarios;
  std::string text = count_of(figures.scenarios - larger, "small scenario");
  if (larger > 0) text += fmt::format(" and {} larger {}", larger, larger == 1 ? "one" : "ones");
  return text;
}

}  // namespace

std::string models_text(const TestOptions& options, const TestResult& result) {
  std::string text;
  if (models_of(options).size() == 1) return text;  // the rest says it all
  for (const ModelFigures& each : result.models) {
    if (each.memory_model == MemoryModel::kSequential) continue;
    const engine::MemoryModelRow& row = engine::row_of(each.memory_model);
    const bool is_run = each.scenarios > 0 || each.walks > 0;
    if (!is_run && !each.not_run.empty()) {
      text += fmt::format("under {}, {}, nothing was run: {}\n", row.word, row.what, each.not_run);
      continue;
    }
    text += fmt::format("under {}, {}: every execution of {} was run, {}", row.word, row.what,
                        scenarios_of(each), count_of(each.executions, "execution"));
    if (!each.shapes.empty()) text += ": " + shapes_of(each.shapes);
    if (!each.further.empty()) text += "; of the larger ones " + shapes_of(each.further);
    if (!each.exhausted) text += "; not of all";
    if (!each.not_run.empty()) text += "; not run: " + each.not_run;
    if (each.walks > 0) text += fmt::format("; and {} at random", count_of(each.walks, "execution"));
    text += "\n";
  }
  return text;
}

}  // namespace plumb::testing
