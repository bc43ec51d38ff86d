// Parts of a history decided elsewhere: in other processes, on other machines. Who checks the history hands out tasks; at the
// other end the same history is opened, split in the same way, and the parts are decided by what stands in the task.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "check/part.hpp"
#include "check/partition.hpp"
#include "check/plan.hpp"

namespace plumb {

struct PartTask {
  std::uint32_t rank = 0;            // of the part among all
  std::uint64_t events = 0;          // how large it is
  std::uint64_t configurations = 0;  // to be met at most
  std::string why_not = {};          // as an earlier, shorter try found out
};

class PartCrew {
 public:
  using Decided = std::function<void(std::size_t task, PartVerdict verdict)>;

  PartCrew() = default;
  virtual ~PartCrew() = default;
  PartCrew(const PartCrew&) = delete;
  PartCrew& operator=(const PartCrew&) = delete;

  // Decides all of these, in any order, within `seconds` if there is a limit.
  virtual void decide(std::span<const PartTask> tasks, std::optional<double> seconds,
                      const Decided& decided) = 0;
};

// check(), with the parts decided by a crew.
[[nodiscard]] Result<Verdict> check_by_crew(const History& history, const Model& model,
                                            const CheckOptions& options, PartCrew& crew);
// check(), if every part is decided by a short try; else nothing: it is worth a crew.
[[nodiscard]] Result<std::optional<Verdict>> check_if_easy(const History& history, const Model& model,
                                                           const CheckOptions& options);

// The other end.
class PartServer {
 public:
  [[nodiscard]] static Result<std::unique_ptr<PartServer>> open(const History& history, const Model& model,
                                                                const CheckOptions& options);
  [[nodiscard]] PartVerdict decide(const PartTask& task, std::optional<double> seconds) const;

 private:
  PartServer(BoundHistory history, const CheckOptions& options);

  BoundHistory history_;
  Plan plan_;
  Partition partition_;
  const CheckOptions& options_;
};

// As text for another process, and back. Nothing: this is no such text.
[[nodiscard]] std::string to_message(const PartTask& task);
[[nodiscard]] std::optional<PartTask> task_from(std::string_view message);
[[nodiscard]] std::string to_message(const PartVerdict& verdict);
[[nodiscard]] std::optional<PartVerdict> verdict_from(std::string_view message);

}  // namespace plumb
