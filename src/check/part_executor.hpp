// Parts of a history decided elsewhere: in other processes, on other machines. The process that checks the history hands out
// tasks; at the other end the same history is opened, split in the same way, and the parts are decided as the task says.
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

class PartExecutor {
 public:
  using Decided = std::function<void(std::size_t task, PartVerdict verdict)>;

  PartExecutor() = default;
  virtual ~PartExecutor() = default;
  PartExecutor(const PartExecutor&) = delete;
  PartExecutor& operator=(const PartExecutor&) = delete;

  // Decides all of these, in any order, within `seconds` if there is a limit.
  virtual void decide(std::span<const PartTask> tasks, std::optional<double> seconds,
                      const Decided& decided) = 0;
};

// check(), with the parts decided by an executor.
[[nodiscard]] Result<Verdict> check_with(const History& history, const Model& model,
                                         const CheckOptions& options, PartExecutor& executor);
// check(), if a short attempt decides every part; otherwise nothing: it is worth an executor of many.
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

// As text for another process, and back. Nothing: this is not such a text.
[[nodiscard]] std::string to_message(const PartTask& task);
[[nodiscard]] std::optional<PartTask> task_from(std::string_view message);
[[nodiscard]] std::string to_message(const PartVerdict& verdict);
[[nodiscard]] std::optional<PartVerdict> verdict_from(std::string_view message);

}  // namespace plumb
