// How intricate is a history? The depth at which a strong hitting family proves it linearizable, and how large these
// families are (Kulahcioglu Ozkan, Majumdar and Niksic, PPoPP 2019). docs/hitting.md explains the figures.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>

namespace plumb {

// Where a history is split (by object and key), figures of the parts are put together.
struct DepthReport {
  Verdict verdict;  // of the engine kHitting, with its depth
  std::size_t parts = 0;
  std::size_t concurrency = 0;         // the most operations that are open at once; the largest of any part
  std::uint64_t concurrent_pairs = 0;  // of operations that may come in either order; added up
  // By d - 1: how many schedules the strong d-hitting family has, added up; none where they are too many to count.
  std::vector<std::optional<std::uint64_t>> families;
};

// For d up to options.max_depth. The engine of the options does not matter.
[[nodiscard]] Result<DepthReport> measure_depth(const History& history, const Model& model,
                                                const CheckOptions& options = {});

}  // namespace plumb
