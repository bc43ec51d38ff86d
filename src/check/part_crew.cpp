#include "check/part_crew.hpp"

#include "check/plan.hpp"
#include "check/runner.hpp"

namespace plumb {

PartServer::PartServer(BoundHistory history, const CheckOptions& options)
    : history_(std::move(history)),
      partition_(history_, choose_partition(history_, options)),
      options_(options) {}

Result<std::unique_ptr<PartServer>> PartServer::open(const History& history, const Model& model,
                                                     const CheckOptions& options) {
  auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  return std::unique_ptr<PartServer>(new PartServer(std::move(bound).value(), options));
}

PartVerdict PartServer::decide(const PartTask& task, std::optional<double> seconds) const {
  if (task.rank >= partition_.parts().size()) return PartVerdict::unknown(Spent::kInternalError);
  std::optional<std::chrono::duration<double>> time;
  if (seconds) time.emplace(*seconds);
  const Budget budget(time, options_.stop);
  const SearchLimits limits = search_limits(options_, budget, task.rank, task.configurations, 1);
  PartVerdict earlier;
  earlier.why_not_monitor = task.why_not_monitor;
  return decide_part(partition_.parts()[task.rank], options_.engine, limits, earlier);
}

}  // namespace plumb
