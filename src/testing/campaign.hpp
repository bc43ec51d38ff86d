// The default campaign: what is done next, with which scenario, for how long. Two accounts of time are kept level: proofs, which go
// through every schedule of one scenario after the other, and walks, slices of the portfolio over many scenarios. Proofs of the first
// part, everything small, come before those of larger scenarios; where half of the budget was not enough for them they get the rest.
//
// Larger scenarios are exhausted without a bound where they end in their share, else within bound 3, then 2. A shape remembers what
// was of no use, and a share that is never enough grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include <plumb/seconds.hpp>
#include <plumb/test.hpp>

#include "journal/shard.hpp"
#include "testing/campaign_plan.hpp"
#include "testing/effort.hpp"
#include "testing/line_up.hpp"

namespace plumb::testing {

struct Task {
  std::size_t number = 0;  // of the scenario, in the plan
  Effort effort = {};
  Seconds share{};
};

struct CampaignTerms {
  Seconds budget{60};
  std::size_t workers = 1;
  std::optional<PreemptionBound> preemptions = std::nullopt;  // that was asked for, instead of the ladder
  Shard shard = {};                                           // only its scenarios
  MemoryModel memory_model = MemoryModel::kSequential;        // a weak one has no schedules, and no bounds
};

class Campaign {
 public:
  // The plan has to stay where it is.
  Campaign(const CampaignPlan& plan, const CampaignTerms& terms);

  // What to do next, when so much time has passed; nothing: all is done, or the time is spent.
  [[nodiscard]] std::optional<Task> next(Seconds passed);
  // Instead: all that is left of the first part is being proved, and there is no time for anything else. Processors that are idle can help.
  [[nodiscard]] bool waits(Seconds passed) const { return is_late(passed) && first_.empty(); }
  // What next() gave in a run before this one.
  void handed_out_before(const Task& task);
  // What came of it, and how long that took.
  void take(const Task& task, const ScenarioResult& outcome, Seconds took);

  [[nodiscard]] bool first_part_done() const { return first_left_ == 0; }
  [[nodiscard]] bool has(std::size_t number) const { return terms_.shard.has(number); }
  [[nodiscard]] bool first_part_waits() const { return first_left_ > first_hopeless_; }
  // The bound within which a scenario was exhausted.
  [[nodiscard]] std::optional<PreemptionBound> exhausted(std::size_t number) const;
  [[nodiscard]] std::size_t begun() const { return begun_.size(); }  // scenarios
  [[nodiscard]] CampaignFigures figures() const;

 private:
  // Of one scenario.
  struct State {
    std::optional<std::size_t> rung = std::nullopt;  // of the ladder, that was exhausted
    std::optional<std::size_t> tried =
        std::nullopt;              // the lowest rung that was cut off in this pass of its shape
    bool is_proved = false;        // at this moment, by some worker
    bool is_hopeless = false;      // cut off by something else than time: to try again is of no use
    std::uint64_t executions = 0;  // of the proof that exhausted it
    std::uint64_t histories = 0;
    Seconds share{};    // of the last proof
    unsigned pass = 0;  // of its shape, in which it was visited last
  };
  // Of one part of the plan, beyond the first.
  struct Climb {
    std::size_t rung = 0;  // to begin with
    unsigned cuts = 0;     // one after another, at that rung
    unsigned pass = 1;
    Seconds share{};
    Seconds spent{};
    std::deque<std::size_t> lower;  // scenarios to be tried at the next rung
  };

  [[nodiscard]] bool is_late(Seconds passed) const;
  [[nodiscard]] std::optional<Task> next_proof(Seconds left);
  [[nodiscard]] std::optional<Task> next_of_first(Seconds left);
  [[nodiscard]] std::optional<Task> next_further(Seconds left);
  [[nodiscard]] std::optional<Task> next_of_part(std::size_t part, Seconds left);
  [[nodiscard]] std::optional<Task> next_walk(Seconds left);
  [[nodiscard]] Task proof(std::size_t number, std::size_t rung, Seconds share, Seconds left);
  [[nodiscard]] bool wants_more(std::size_t number) const;
  [[nodiscard]] std::size_t part_of(std::size_t number) const;
  void take_proof(const Task& task, const ScenarioResult& outcome);
  void take_walks(const Task& task, const ScenarioResult& outcome);
  void cut_off(const Task& task);
  void order_walks();
  [[nodiscard]] ExhaustedShape exhausted(const CampaignPlan::Part& part, std::size_t rung) const;

  const CampaignPlan& plan_;
  CampaignTerms terms_;
  std::vector<PreemptionBound> ladder_;  // the best first
  std::vector<State> states_;
  std::vector<Climb> climbs_;       // by part
  std::deque<std::size_t> first_;   // scenarios of the first part that are to be tried
  std::size_t first_left_ = 0;      // that are not exhausted
  std::size_t first_hopeless_ = 0;  // of them, those that never will be
  std::set<std::size_t> begun_;
  Seconds proof_time_{};
  Seconds walk_time_{};
  // Walks: in each generation the window is twice as wide, and each scenario in it has the next slice.
  std::vector<std::size_t> walk_order_;
  std::size_t window_ = 0;
  std::size_t walk_at_ = 0;
  std::vector<unsigned> rounds_;  // by scenario: slices that were handed out
  CampaignFigures figures_;
  // Of the last slice of each scenario, the longest; what the ones before it met is not known by name.
  struct Slice {
    std::uint64_t executions = 0;
    std::uint64_t histories = 0;
    std::uint64_t met_once = 0;
  };
  std::map<std::size_t, Slice> slices_;
};

}  // namespace plumb::testing
