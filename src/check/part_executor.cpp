#include "check/part_executor.hpp"

#include "check/runner.hpp"

namespace plumb {

PartServer::PartServer(BoundHistory history, const CheckOptions& options)
    : history_(std::move(history)),
      plan_(make_plan(history_, options)),
      partition_(history_, plan_.partition),
      options_(options) {}

Result<std::unique_ptr<PartServer>> PartServer::open(const History& history, const Model& model,
                                                     const CheckOptions& options) {
  auto bound = BoundHistory::bind_as_family(history, model);
  if (!bound) return bound.error();
  return std::unique_ptr<PartServer>(new PartServer(std::move(bound).value(), options));
}

PartVerdict PartServer::decide(const PartTask& task, std::optional<double> seconds) const {
  if (task.rank >= partition_.parts().size()) return PartVerdict::unknown(StopReason::kInternalError);
  std::optional<Seconds> time;
  if (seconds) time.emplace(*seconds);
  const Budget budget(time, options_.stop);
  const SearchLimits limits = search_limits(options_, budget, task.rank, task.configurations, 1);
  PartVerdict earlier;
  earlier.why_not = task.why_not;
  return decide_part(partition_.parts()[task.rank], plan_, limits, earlier);
}

}  // namespace plumb
