// The whole check, step by step: bind the history to the model, split it, decide the parts in parallel, and
// put the answers together.
#include <plumb/check.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for_each.h>
#include <oneapi/tbb/task_arena.h>
#include <unistd.h>

#include "check/part.hpp"
#include "check/partition.hpp"
#include "check/reason.hpp"

namespace plumb {
namespace {

using Clock = std::chrono::steady_clock;

// Below this many events, starting threads costs more than it brings.
constexpr std::size_t kWorthThreads = 20'000;

std::size_t default_memory() {
  const auto pages = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES));
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGE_SIZE));
  return pages * page / 2;
}

unsigned worker_count(const CheckOptions& options, const Partition& partition, const History& history) {
  if (partition.parts().size() < 2 || history.events().size() < kWorthThreads) return 1;
  const unsigned jobs = options.jobs != 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  return std::min(jobs, static_cast<unsigned>(partition.parts().size()));
}

// Decides all parts, in rounds: each round lets every undecided part meet a number of configurations, the
// next one several times as many. A part that is hard cannot hold up one that is easy and already shows the
// violation; starting again costs a fraction, as each round is that much longer than all before it.
class PartRunner {
 public:
  PartRunner(const BoundHistory& history, const Partition& partition, const CheckOptions& options)
      : history_(history),
        parts_(partition.parts()),
        options_(options),
        budget_(options.timeout, options.stop),
        workers_(worker_count(options, partition, history.history())),
        verdicts_(parts_.size(), PartVerdict::unknown(Spent::kRound)) {}

  std::vector<PartVerdict> run() {
    for (;;) {
      undecided_.clear();
      for (std::uint32_t rank = 0; rank < parts_.size(); ++rank) {
        if (verdicts_[rank].outcome == Outcome::kViolation) return std::move(verdicts_);
        if (verdicts_[rank].spent == Spent::kRound) undecided_.push_back(rank);
      }
      if (undecided_.empty()) return std::move(verdicts_);
      run_round();
      ++round_;
    }
  }

 private:
  static constexpr unsigned kGrowthBits = 3;  // each round is 8 times as long

  void run_round() {
    next_ = 0;
    if (workers_ == 1) return work();
    const tbb::global_control at_most(tbb::global_control::max_allowed_parallelism,
                                      workers_);  // more than cores, too
    tbb::task_arena arena(static_cast<int>(workers_));
    arena.execute([&] {
      const std::vector<unsigned> everyone(workers_);
      tbb::parallel_for_each(everyone, [&](unsigned) { work(); });
    });
  }

  // Parts are taken by rank, and a violation stops only those that come after it: which one is reported does
  // not depend on which thread was faster.
  void work() {
    for (std::size_t i = next_++; i < undecided_.size(); i = next_++) {
      const std::uint32_t rank = undecided_[i];
      verdicts_[rank] = decide(rank);
      if (verdicts_[rank].outcome == Outcome::kViolation) budget_.cancel_after(rank);
      if (verdicts_[rank].outcome != Outcome::kUnknown) report_progress(parts_[rank].events.size());
    }
  }

  PartVerdict decide(std::uint32_t rank) {
    if (const Spent spent = budget_.spent(rank); spent != Spent::kNothing) return PartVerdict::unknown(spent);
    const Part& part = parts_[rank];
    const SearchLimits limits{.budget = &budget_,
                              .rank = rank,
                              .memory = options_.memory.value_or(default_memory()) / workers_,
                              .lru = options_.lru,
                              .configurations = round_length(part)};
    const auto states = fresh_states();
    PartVerdict verdict = options_.engine == Engine::kBrute ? search_brute_force(part, *states, limits)
                                                            : search_wgl(part, *states, limits);
    if (verdict.outcome == Outcome::kLinearizable && !replays(part, verdict.linearization, *fresh_states())) {
      return PartVerdict::unknown(Spent::kInternalError);
    }
    return verdict;
  }

  // An easy part meets about as many configurations as it has operations. A single part has nothing to wait
  // for.
  [[nodiscard]] std::uint64_t round_length(const Part& part) const {
    constexpr unsigned kLastRound = 12;
    if (parts_.size() == 1 || round_ >= kLastRound) return SearchLimits::kNoLimit;
    return std::uint64_t{part.events.size() + 4096} << (kGrowthBits * round_);
  }

  [[nodiscard]] std::unique_ptr<States> fresh_states() const {
    return history_.model().states(history_.history().values(), history_.history().initial()).value();
  }

  void report_progress(std::size_t events) {
    const std::size_t done = events_done_ += events;
    if (!options_.progress) return;
    options_.progress(static_cast<double>(done) / static_cast<double>(history_.history().events().size()));
  }

  const BoundHistory& history_;
  const std::vector<Part>& parts_;
  const CheckOptions& options_;
  Budget budget_;
  unsigned workers_;
  unsigned round_ = 0;
  std::vector<PartVerdict> verdicts_;
  std::vector<std::uint32_t> undecided_;  // in this round, by rank
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> events_done_ = 0;
};

std::string_view to_text(Spent spent) {
  switch (spent) {
    case Spent::kTime:
      return "the time limit was reached";
    case Spent::kMemory:
      return "the memory limit was reached";
    case Spent::kStopped:
      return "interrupted";
    case Spent::kTooLarge:
      return "too many operations for brute force";
    case Spent::kInternalError:
      return "internal error: the linearization found does not replay; please report it";
    case Spent::kNothing:
    case Spent::kRound:
    case Spent::kCancelled:
      break;
  }
  return "";
}

// The parts' linearizations as one: each operation has a point in time, and points of one part never go back.
std::vector<OperationId> merge_linearizations(const History& history, std::span<const Part> parts,
                                              std::span<const PartVerdict> verdicts) {
  if (parts.size() == 1) {
    std::vector<OperationId> order;
    order.reserve(verdicts[0].linearization.size());
    for (const Point point : verdicts[0].linearization) order.push_back(point.operation);
    return order;
  }
  std::vector<std::uint32_t> return_position(history.size());
  for (std::uint32_t at = 0; at < history.events().size(); ++at) {
    return_position[history.events()[at].operation()] = at;
  }
  // By position of the return that the operation takes effect before: a counting sort, stable within a part.
  std::vector<std::uint32_t> count(history.events().size() + 1);
  const auto position = [&](const Part& part, const Point& point) {
    return return_position[part.events[point.position].operation()];
  };
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Point& point : verdicts[i].linearization) ++count[position(parts[i], point) + 1];
  }
  for (std::size_t i = 1; i < count.size(); ++i) count[i] += count[i - 1];
  std::vector<OperationId> order(count.back());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Point& point : verdicts[i].linearization)
      order[count[position(parts[i], point)]++] = point.operation;
  }
  return order;
}

Verdict combine(const BoundHistory& history, const Partition& partition,
                std::span<const PartVerdict> verdicts) {
  Verdict verdict;
  verdict.parts = partition.parts().size();
  verdict.outcome = Outcome::kLinearizable;
  std::optional<Spent> spent;
  for (std::size_t i = 0; i < verdicts.size(); ++i) {
    verdict.configurations += verdicts[i].configurations;
    if (verdict.outcome == Outcome::kViolation) continue;
    if (verdicts[i].outcome == Outcome::kViolation) {
      verdict.outcome = Outcome::kViolation;
      verdict.violation = describe_violation(partition.parts()[i], verdicts[i].stuck);
    } else if (verdicts[i].outcome == Outcome::kUnknown) {
      verdict.outcome = Outcome::kUnknown;
      spent = verdicts[i].spent;
    }
  }
  if (verdict.outcome == Outcome::kUnknown) verdict.why = to_text(*spent);
  if (verdict.outcome == Outcome::kLinearizable) {
    verdict.linearization = merge_linearizations(history.history(), partition.parts(), verdicts);
  }
  return verdict;
}

std::string why(const BoundHistory& history, const CheckOptions& options, std::size_t parts) {
  if (options.engine == Engine::kBrute) return "asked for: every order is tried";
  std::string text = options.engine == Engine::kWgl ? "asked for" : "the general search decides every model";
  if (parts > 1) {
    text += fmt::format("; {} parts by {}", parts,
                        !history.model().is_keyed() || !options.partition ? "object"
                        : history.history().has_objects()                 ? "object and key"
                                                                          : "key");
  }
  return text;
}

}  // namespace

Result<Verdict> check(const History& history, const Model& model, const CheckOptions& options) {
  const auto start = Clock::now();
  const auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  if (auto states = model.states(history.values(), history.initial()); !states) return states.error();

  const bool by_key = options.partition && options.engine != Engine::kBrute;
  const Partition partition(*bound, by_key ? PartitionBy::kObjectAndKey : PartitionBy::kObject);
  const auto verdicts = PartRunner(*bound, partition, options).run();

  Verdict verdict = combine(*bound, partition, verdicts);
  verdict.engine = options.engine == Engine::kBrute ? "brute" : "wgl";
  if (verdict.why.empty()) verdict.why = why(*bound, options, partition.parts().size());
  verdict.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return verdict;
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::kLinearizable:
      return "linearizable";
    case Outcome::kViolation:
      return "violation";
    case Outcome::kUnknown:
      return "unknown";
  }
  return "";
}

}  // namespace plumb
