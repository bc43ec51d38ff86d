#include "check/runner.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

#include <unistd.h>

#include "base/jobs.hpp"

namespace plumb {
namespace {

// Below this many events, starting threads costs more than it brings.
constexpr std::size_t kWorthThreads = 20'000;

unsigned worker_count(const CheckOptions& options, const Partition& partition, const History& history) {
  if (partition.parts().size() < 2 || history.events().size() < kWorthThreads) return 1;
  const unsigned jobs = workers_for(options.jobs);
  return std::min(jobs, static_cast<unsigned>(partition.parts().size()));
}

// Decides all parts, in rounds: each round lets every undecided part meet a number of configurations, the
// next one several times as many. A part that is hard cannot hold up one that is easy and already shows the
// violation; starting again costs a fraction, as each round is that much longer than all before it.
//
// Of several violations the one with the earliest return is told. So a violation stops the parts that begin after its return;
// the others are given some more rounds, but not all.
class PartRunner {
 public:
  PartRunner(const Plan& plan, const BoundHistory& history, const Partition& partition,
             const CheckOptions& options, const DecideOptions& how)
      : plan_(plan),
        history_(history),
        parts_(partition.parts()),
        options_(options),
        how_(how),
        budget_(options.timeout, options.stop),
        workers_(worker_count(options, partition, history.history())),
        verdicts_(parts_.size(), PartVerdict::unknown(StopReason::kRound)) {}

  std::vector<PartVerdict> run() {
    if (how_.watch != nullptr) begin_watch();
    for (;;) {
      undecided_.clear();
      bool violated = false;
      for (std::uint32_t rank = 0; rank < parts_.size(); ++rank) {
        violated = violated || verdicts_[rank].outcome == Outcome::kViolation;
        if (verdicts_[rank].spent == StopReason::kRound) undecided_.push_back(rank);
      }
      const unsigned most = how_.one_round ? 1 : violated ? kRoundsAfterViolation : kNoEnd;
      if (undecided_.empty() || round_ >= most) return std::move(verdicts_);
      if (how_.executor == nullptr || parts_.size() == 1) {
        run_round();
      } else {
        ask_crew();
      }
      forget_after_violation();
      ++round_;
    }
  }

 private:
  static constexpr unsigned kGrowthBits = 3;  // each round is 8 times as long
  static constexpr unsigned kRoundsAfterViolation = 3;
  static constexpr unsigned kNoEnd = ~0U;

  void begin_watch() {
    std::vector<std::span<const std::uint32_t>> positions;
    std::vector<std::uint32_t> first_returns;
    for (const Part& part : parts_) {
      positions.push_back(part.positions);
      const std::uint32_t first = reached_in(part, {});
      first_returns.push_back(first == part.events.size() ? ReachedWatch::kAll : first);
    }
    how_.watch->begin(std::move(positions), first_returns);
  }

  void run_round() {
    next_ = 0;
    {
      std::vector<std::jthread> others;
      try {
        while (others.size() + 1 < workers_) others.emplace_back([this] { try_work(); });
      } catch (const std::system_error&) {  // no more threads are to be had: those that there are do all
      }
      try_work();
    }
    if (failure_) std::rethrow_exception(failure_);
  }

  // What is thrown, for want of memory say, is for whoever called.
  void try_work() {
    try {
      work();
    } catch (...) {
      next_ = undecided_.size();
      const std::scoped_lock lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
    }
  }

  void ask_crew() {
    std::vector<PartTask> tasks;
    for (const std::uint32_t rank : undecided_) {
      const Part& part = parts_[rank];
      tasks.push_back({rank, part.events.size(), round_length(part), verdicts_[rank].why_not});
      // Unless an answer comes.
      const StopReason spent = budget_.spent(part.begins());
      verdicts_[rank] =
          further(std::move(verdicts_[rank]),
                  PartVerdict::unknown(spent == StopReason::kNothing ? StopReason::kStopped : spent));
    }
    how_.executor->decide(tasks, budget_.seconds_left(), [&](std::size_t task, PartVerdict verdict) {
      const std::uint32_t rank = tasks[task].rank;
      verdicts_[rank] = further(std::move(verdicts_[rank]), std::move(verdict));
      if (verdicts_[rank].outcome != Outcome::kUnknown) report_progress(tasks[task].events);
    });
  }

  // Some of the parts after a violation were decided all the same, where somebody had time: the counts are those of one
  // who knows the violation before.
  void forget_after_violation() {
    std::uint32_t earliest = ~std::uint32_t{0};
    for (std::size_t rank = 0; rank < parts_.size(); ++rank) {
      if (verdicts_[rank].outcome == Outcome::kViolation)
        earliest = std::min(earliest, violated_at(parts_[rank], verdicts_[rank]));
    }
    for (const std::uint32_t rank : undecided_) {
      if (parts_[rank].begins() > earliest) verdicts_[rank] = PartVerdict::unknown(StopReason::kCancelled);
    }
  }

  void work() {
    for (std::size_t i = next_++; i < undecided_.size(); i = next_++) {
      const std::uint32_t rank = undecided_[i];
      PartVerdict later = decide(rank);
      verdicts_[rank] = further(std::move(verdicts_[rank]), std::move(later));
      if (verdicts_[rank].outcome == Outcome::kViolation)
        budget_.cancel_after(violated_at(parts_[rank], verdicts_[rank]));
      if (verdicts_[rank].outcome == Outcome::kHolds && how_.watch != nullptr) how_.watch->pass(rank);
      if (verdicts_[rank].outcome != Outcome::kUnknown) report_progress(parts_[rank].events.size());
    }
  }

  // What a later, longer try says; but how far an earlier one came, if that is further.
  static PartVerdict further(PartVerdict earlier, PartVerdict later) {
    const bool was = earlier.reached && later.outcome == Outcome::kUnknown &&
                     (!later.reached || later.reached->position < earlier.reached->position);
    if (was) later.reached = std::move(earlier.reached);
    return later;
  }

  PartVerdict decide(std::uint32_t rank) {
    const Part& part = parts_[rank];
    if (const StopReason spent = budget_.spent(part.begins()); spent != StopReason::kNothing)
      return PartVerdict::unknown(spent);
    SearchLimits limits = search_limits(options_, budget_, part.begins(), round_length(part), workers_);
    limits.watch = how_.watch;
    limits.watched = rank;
    return decide_part(part, plan_, limits, verdicts_[rank]);
  }

  // An easy part meets about as many configurations as it has operations. A single part has nothing to wait
  // for.
  [[nodiscard]] std::uint64_t round_length(const Part& part) const {
    constexpr unsigned kLastRound = 12;
    if (parts_.size() == 1 || round_ >= kLastRound) return SearchLimits::kNoLimit;
    return std::uint64_t{part.events.size() + 4096} << (kGrowthBits * round_);
  }

  void report_progress(std::size_t events) {
    const std::size_t done = events_done_ += events;
    if (!options_.progress) return;
    options_.progress(static_cast<double>(done) / static_cast<double>(history_.history().events().size()));
  }

  const Plan& plan_;
  const BoundHistory& history_;
  const std::vector<Part>& parts_;
  const CheckOptions& options_;
  DecideOptions how_;
  Budget budget_;
  unsigned workers_;
  unsigned round_ = 0;
  std::vector<PartVerdict> verdicts_;
  std::vector<std::uint32_t> undecided_;  // in this round, by rank
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> events_done_ = 0;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace

std::uint32_t violated_at(const Part& part, const PartVerdict& verdict) {
  return part.position(Event::ret(verdict.stuck.operation));
}

std::size_t default_memory() {
  static const std::size_t half = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                                  static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE)) / 2;
  return half;
}

SearchLimits search_limits(const CheckOptions& options, const Budget& budget, std::uint32_t rank,
                           std::uint64_t configurations, unsigned workers) {
  return {.budget = &budget,
          .rank = rank,
          .memory = options.memory.value_or(default_memory()) / workers,
          .lru = options.lru,
          .configurations = configurations,
          .max_depth = options.max_depth,
          .hand_over = !options.hitting_only};
}

std::uint32_t reached_in(const Part& part, const PartVerdict& verdict) {
  if (verdict.reached) return verdict.reached->position;
  return static_cast<std::uint32_t>(std::ranges::find_if(part.events, &Event::is_return) -
                                    part.events.begin());
}

std::vector<PartVerdict> decide_parts(const Plan& plan, const BoundHistory& history,
                                      const Partition& partition, const CheckOptions& options,
                                      const DecideOptions& how) {
  return PartRunner(plan, history, partition, options, how).run();
}

}  // namespace plumb
