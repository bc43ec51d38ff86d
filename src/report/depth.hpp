// The figures of many histories put together, model by model, as Tables 1 to 3 and Figure 4 of the paper
// on hitting families do: how concurrent the histories are, how many schedules the families have, and how
// many histories they prove.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plumb/depth.hpp>

namespace plumb {

// Of a column of figures.
struct Spread {
  std::size_t count = 0;
  double sum = 0;
  double squares = 0;
  double most = 0;

  void add(double figure);
  [[nodiscard]] double mean() const;
  [[nodiscard]] double deviation() const;
};

struct DepthGroup {
  std::string model;
  std::size_t histories = 0;
  std::size_t sequential = 0;    // of these, with nothing concurrent: they are left out of what follows
  std::size_t linearizable = 0;  // of the others
  std::size_t most_operations = 0;
  Spread concurrency;
  Spread pairs;
  std::vector<Spread> families;     // by d - 1; without those that are too many to count
  std::vector<std::size_t> proved;  // by d - 1: linearizable histories proved at that depth or a smaller one
};

class DepthSummary {
 public:
  explicit DepthSummary(unsigned deepest) : deepest_(deepest) {}
  void add(std::string_view model, const History& history, const DepthReport& report);

  [[nodiscard]] const std::vector<DepthGroup>& groups() const {
    return groups_;
  }                                          // in the order of the input
  [[nodiscard]] std::string tables() const;  // for a terminal
  [[nodiscard]] std::string plot() const;    // SVG: the share that is proved, by depth, a line per model

 private:
  unsigned deepest_;
  std::vector<DepthGroup> groups_;
};

}  // namespace plumb
