#include "explore/parallel.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "explore/standstill.hpp"
#include "runtime/signals.hpp"

namespace plumb::engine {
namespace {

using Time = std::chrono::steady_clock;

constexpr std::size_t kPartsAJob = 16;
constexpr std::size_t kDeepest = 20;
constexpr std::size_t kMostWorkers = 64;
constexpr std::size_t kMessage = 512;
constexpr int kWorked = 70;     // how a worker ends; with 0 ends what is no worker's end
constexpr int kNoThreads = 71;  // how a worker ends that the system gives no threads
constexpr int kCannotEnd = 72;  // and one that has to end, and could not be interrupted
// Workers end themselves; these are for one that does not even do that.
constexpr Seconds kPatience{4};
constexpr Seconds kPatienceOnRequest{0.9};

// What became of a part of the tree: shared by all processes.
struct Result {
  bool complete;
  bool found;
  FindingKind kind;
  bool refused;
  Counts counts;
  char message[kMessage];
  LiveSchedule schedule;  // of the finding
};
struct Worker {
  std::size_t part;  // at which it is
  LiveSchedule schedule;
};
struct Shared {
  std::atomic<std::size_t> next;           // part that is not taken yet
  std::atomic<std::size_t> first_finding;  // its part
  std::atomic<std::uint64_t> executions;
  std::atomic<bool> out_of_time;
  std::atomic<bool> stop;  // the end was asked for
  std::atomic<bool> enough;
  std::atomic<bool> somebody_stands;
  char standing[kMessage];  // the thread that did not come to an end
  Worker workers[kMostWorkers];
  Result results[1];  // as many as there are parts
};

void copy_text(std::string_view text, char (&to)[kMessage]) {
  const std::size_t length = std::min(text.size(), kMessage - 1);
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

void set_finding(Result& result, const Finding& finding, const Schedule& schedule) {
  result.found = true;
  result.kind = finding.kind;
  result.refused = finding.refused;
  copy_text(finding.message, result.message);
  result.schedule.size = static_cast<std::uint32_t>(schedule.size());
  std::memcpy(result.schedule.choices, schedule.data(), schedule.size());
}

class Parallel {
 public:
  Parallel(Execution& execution, const std::function<std::unique_ptr<Strategy>()>& make,
           const ParallelLimits& limits)
      : execution_(execution), make_(make), limits_(limits) {}
  Parallel(const Parallel&) = delete;
  Parallel& operator=(const Parallel&) = delete;
  ~Parallel() {
    if (shared_ != nullptr) munmap(shared_, size_);
  }

  ParallelResult run() {
    {
      const runtime::Watchdog watchdog(execution_, limits_.watch());
      for (std::size_t depth = 2; !cut(depth); depth += 2) {
      }
    }
    if (shared_ == nullptr) {
      ParallelResult none;
      none.finding = {.found = true,
                      .kind = FindingKind::kMisuse,
                      .refused = true,
                      .message = "the system gives no shared memory"};
      return none;
    }
    while (left_to_do() && !is_over()) run_workers();
    return result();
  }

 private:
  // Shared memory for so many parts: untouched pages cost nothing.
  bool share(std::size_t parts) {
    if (shared_ != nullptr) munmap(shared_, size_);
    size_ = sizeof(Shared) + parts * sizeof(Result);
    void* memory =
        mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shared_ = memory == MAP_FAILED ? nullptr : static_cast<Shared*>(memory);
    if (shared_ != nullptr) shared_->first_finding = parts_.size();
    return shared_ != nullptr;
  }

  // Walks the tree down to a depth. True: there are parts enough, or it goes no deeper.
  bool cut(std::size_t depth) {
    struct Ran {  // above the cut, now
      std::size_t part = 0;
      Counts counts;
      Finding finding;
      Schedule schedule;
    };
    std::vector<Ran> ran;
    parts_.clear();
    const auto strategy = make_();
    strategy->set_depth_limit(depth);
    for (bool more = true; more;) {
      const std::uint64_t steps = execution_.steps();
      const auto end = execution_.run(*strategy);
      if (end != Execution::End::kFinding && runtime::Watchdog::over()) return cut_off(end);
      parts_.push_back(strategy->prefix());
      if (!strategy->hit_depth_limit()) {
        Ran& part = ran.emplace_back();
        part.part = parts_.size() - 1;
        part.counts.steps = execution_.steps() - steps;
        ++(end == Execution::End::kPruned ? part.counts.pruned : part.counts.executions);
        if (end == Execution::End::kFinding) {
          part.finding = execution_.finding();
          part.schedule = execution_.schedule();
        }
      }
      more = end != Execution::End::kFinding && strategy->end();
    }
    if (ran.size() < parts_.size() && parts_.size() - ran.size() < limits_.jobs * kPartsAJob &&
        depth < kDeepest)
      return false;
    if (!share(parts_.size())) return true;
    for (const Ran& part : ran) {
      Result& into = shared_->results[part.part];
      into.complete = true;
      into.counts = part.counts;
      shared_->executions += part.counts.executions;
      if (!part.finding.found) continue;
      set_finding(into, part.finding, part.schedule);
      shared_->first_finding = part.part;
    }
    return true;
  }

  // The time was over before there was anything to hand out.
  bool cut_off(Execution::End end) {
    parts_.clear();
    if (!share(0)) return true;
    note_end();
    if (end == Execution::End::kInterrupted) leave_word();
    return true;
  }

  [[nodiscard]] bool is_over() const { return shared_->enough || shared_->out_of_time || shared_->stop; }

  // What ended the watch of this process.
  void note_end() {
    const auto* stop = limits_.watch().stop;
    (stop != nullptr && stop->load() ? shared_->stop : shared_->out_of_time) = true;
  }

  // That of the first is enough.
  void leave_word(std::string_view text) {
    if (!shared_->somebody_stands.exchange(true)) copy_text(text, shared_->standing);
  }
  void leave_word() {
    Exploration told;
    tell_interrupted(execution_, nullptr, runtime::Watchdog::standstill(), told);
    leave_word(told.message);
  }

  bool left_to_do() const {
    for (std::size_t i = 0; i < parts_.size() && i <= shared_->first_finding; ++i) {
      if (!shared_->results[i].complete) return true;
    }
    return false;
  }

  void run_workers() {
    shared_->next = 0;
    std::vector<pid_t> processes;
    for (unsigned i = 0; i < std::min<std::size_t>(limits_.jobs, kMostWorkers); ++i) {
      const pid_t process = fork();
      if (process == 0) {
        if (!runtime::Fibers::instance().after_fork()) _exit(kNoThreads);
        const runtime::CatchSignals signals(limits_.watchdog);
        {
          const runtime::Watchdog watchdog(execution_, terms_of_worker());
          work(shared_->workers[i]);
        }
        _exit(kWorked);
      }
      if (process > 0) processes.push_back(process);
    }
    std::size_t worked = 0;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      const auto status = end_of(processes[i]);
      if (status && WIFEXITED(*status) && WEXITSTATUS(*status) == kNoThreads) continue;
      ++worked;
      const bool gave_up =
          shared_->somebody_stands && status && WIFEXITED(*status) && WEXITSTATUS(*status) == kCannotEnd;
      if (status && !(WIFEXITED(*status) && WEXITSTATUS(*status) == kWorked) && !gave_up)
        record_crash(shared_->workers[i], *status);
    }
    if (worked == 0) {  // the system gives no more processes, or no threads
      const runtime::Watchdog watchdog(execution_, limits_.watch());
      work(shared_->workers[0]);
    }
  }

  runtime::WatchTerms terms_of_worker() {
    runtime::WatchTerms terms = limits_.watch();
    terms.stop = &shared_->stop;
    terms.cannot_end = [this](const runtime::Standstill& standstill) {
      leave_word(limits_.standing(standstill) + ", and cannot be interrupted");
      shared_->out_of_time = true;
      _exit(kCannotEnd);
    };
    return terms;
  }

  // Waits for a worker, and looks now and then whether it is time to end them all. Nothing: it had to be killed.
  std::optional<int> end_of(pid_t process) {
    constexpr useconds_t kShortest = 100;
    constexpr useconds_t kLongest = 10'000;
    const runtime::WatchTerms terms = limits_.watch();
    const auto begin = Time::now();
    std::optional<Time::time_point> asked;
    int status = 0;
    bool killed = false;
    for (useconds_t pause = kShortest; waitpid(process, &status, WNOHANG) != process; usleep(pause)) {
      pause = std::min(pause * 2, kLongest);
      const auto now = Time::now();
      if (terms.stop != nullptr && terms.stop->load() && !asked) {
        asked = now;
        shared_->stop = true;
      }
      const bool late = terms.timeout && now - begin > *terms.timeout + kPatience;
      if (!late && (!asked || now - *asked < kPatienceOnRequest)) continue;
      killed = true;
      shared_->out_of_time = true;
      leave_word("a process that took part did not end, and was killed");
      kill(process, SIGKILL);
    }
    return killed ? std::nullopt : std::optional(status);
  }

  // A worker died: that is what it found.
  void record_crash(Worker& worker, int status) {
    const std::string how = WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                                                              strsignal(WTERMSIG(status)))
                                                : fmt::format("ended itself with {}", WEXITSTATUS(status));
    const Schedule schedule(worker.schedule.choices, worker.schedule.choices + worker.schedule.size);
    Result& result = shared_->results[worker.part];
    set_finding(result, {.kind = FindingKind::kCrash, .message = "the process " + how}, schedule);
    result.complete = true;
    dead_.push_back(worker.part);
    found(worker.part);
  }

  void found(std::size_t part) {
    std::size_t first = shared_->first_finding;
    while (part < first && !shared_->first_finding.compare_exchange_weak(first, part)) {
    }
  }

  // Life of a worker.
  void work(Worker& worker) {
    execution_.show(&worker.schedule);
    for (;;) {
      const std::size_t part = shared_->next++;
      if (part >= parts_.size() || part > shared_->first_finding || is_over()) break;
      if (shared_->results[part].complete) continue;
      worker.part = part;
      search(parts_[part], shared_->results[part], part);
    }
    execution_.show(nullptr);
  }

  void search(const Prefix& prefix, Result& result, std::size_t part) {
    const auto strategy = make_();
    strategy->set_prefix(prefix);
    const std::uint64_t steps = execution_.steps();
    result.counts = {};
    for (bool more = true; more;) {
      const auto end = execution_.run(*strategy);
      if (end == Execution::End::kInterrupted) {
        leave_word();
        note_end();
        break;
      }
      ++(end == Execution::End::kPruned ? result.counts.pruned : result.counts.executions);
      if (end == Execution::End::kFinding) {
        set_finding(result, execution_.finding(), execution_.schedule());
        found(part);
      }
      result.complete = end == Execution::End::kFinding || !strategy->end();
      more = !result.complete && !limits_reached(end != Execution::End::kPruned);
    }
    result.counts.steps = execution_.steps() - steps;
    result.counts.held_back = execution_.held_back();
  }

  bool limits_reached(bool counts) {
    if (counts && limits_.executions && ++shared_->executions >= *limits_.executions) shared_->enough = true;
    if (runtime::Watchdog::over() && !shared_->stop) note_end();
    return is_over();
  }

  ParallelResult result() const {
    ParallelResult all;
    for (std::size_t i = 0; i < parts_.size() && i <= shared_->first_finding; ++i) {
      const Result& part = shared_->results[i];
      all.counts += part.counts;
      if (!part.found) continue;
      all.finding = {.found = true, .kind = part.kind, .refused = part.refused, .message = part.message};
      all.schedule.assign(part.schedule.choices, part.schedule.choices + part.schedule.size);
      all.died = std::find(dead_.begin(), dead_.end(), i) != dead_.end();
    }
    if (shared_->somebody_stands) all.standing = shared_->standing;
    all.ended_by = all.finding.found      ? SearchEnd::kFinding
                   : shared_->enough      ? SearchEnd::kExecutions
                   : shared_->stop        ? SearchEnd::kStopped
                   : shared_->out_of_time ? SearchEnd::kTimeout
                                          : SearchEnd::kExhausted;
    return all;
  }

  Execution& execution_;
  const std::function<std::unique_ptr<Strategy>()>& make_;
  const ParallelLimits& limits_;
  std::vector<Prefix> parts_;
  std::vector<std::size_t> dead_;  // parts whose worker died
  std::size_t size_ = 0;
  Shared* shared_ = nullptr;
};

}  // namespace

ParallelResult search_in_parallel(Execution& execution,
                                  const std::function<std::unique_ptr<Strategy>()>& make,
                                  const ParallelLimits& limits) {
  return Parallel(execution, make, limits).run();
}

}  // namespace plumb::engine
