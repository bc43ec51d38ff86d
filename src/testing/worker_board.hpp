// What a test run and its workers, which are forks of it, have in common: that the end is asked for, and the last words of a worker
// that could not end otherwise than by ending its process.
#pragma once

#include <atomic>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "explore/spare_cores.hpp"
#include "testing/scenario_runner.hpp"
#include "work/worker_pool.hpp"

namespace plumb::testing {

// How such a worker ends its process.
constexpr int kCannotEnd = 73;

class WorkerBoard {
 public:
  WorkerBoard();
  ~WorkerBoard();
  WorkerBoard(const WorkerBoard&) = delete;
  WorkerBoard& operator=(const WorkerBoard&) = delete;

  // The system gave memory for it.
  explicit operator bool() const { return shared_ != nullptr; }

  [[nodiscard]] std::atomic<bool>& stop();
  [[nodiscard]] engine::SpareCores& cores() { return cores_; }
  void leave_words(std::size_t scenario, std::string_view words);
  [[nodiscard]] std::optional<std::string> words_about(std::size_t scenario) const;

 private:
  struct Shared;
  Shared* shared_ = nullptr;
  engine::SpareCores cores_;
};

// So many processes of this machine that run scenarios. One that has nothing to do leaves its processor to the others, and those that are more
// than scenarios do. `over`: see work::PoolOptions.
[[nodiscard]] work::WorkerPool workers_here(std::size_t count, std::size_t cores, ScenarioRunner& runner,
                                            WorkerBoard& board, std::function<std::optional<double>()> over);

}  // namespace plumb::testing
