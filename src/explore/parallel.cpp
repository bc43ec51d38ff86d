#include "explore/parallel.hpp"

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstring>

#include <fmt/format.h>

#include "runtime/signals.hpp"

namespace plumb::engine {
namespace {

using Time = std::chrono::steady_clock;

constexpr std::size_t kPartsAJob = 16;
constexpr std::size_t kDeepest = 20;
constexpr std::size_t kMostWorkers = 64;
constexpr std::size_t kMessage = 512;
constexpr int kNoThreads = 71;  // how a worker ends that the system gives no threads

// What became of a part of the tree: shared by all processes.
struct Result {
  bool complete;
  bool found;
  runtime::Failure failure;
  Counts counts;
  char message[kMessage];
  LiveSchedule schedule;  // of the finding
};
struct Worker {
  std::size_t part;  // at which it is
  LiveSchedule schedule;
};
struct Shared {
  std::atomic<std::size_t> next;           // part that nobody has taken
  std::atomic<std::size_t> first_finding;  // its part
  std::atomic<std::uint64_t> executions;
  std::atomic<bool> out_of_time;
  std::atomic<bool> enough;
  Worker workers[kMostWorkers];
  Result results[1];  // as many as there are parts
};

void set_finding(Result& result, runtime::Failure failure, std::string_view message,
                 const Schedule& schedule) {
  result.found = true;
  result.failure = failure;
  const std::size_t length = std::min(message.size(), kMessage - 1);
  std::memcpy(result.message, message.data(), length);
  result.message[length] = '\0';
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
    for (std::size_t depth = 2; !cut(depth); depth += 2) {
    }
    if (shared_ == nullptr) {
      ParallelResult none;
      none.finding = {.found = true,
                      .failure = runtime::Failure::kMisuse,
                      .message = "the system gives no shared memory"};
      return none;
    }
    while (left_to_do() && !shared_->enough && !shared_->out_of_time) run_workers();
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
    strategy->cut_at(depth);
    for (bool more = true; more;) {
      const std::uint64_t steps = execution_.steps();
      const auto end = execution_.run(*strategy);
      parts_.push_back(strategy->prefix());
      if (!strategy->was_cut()) {
        Ran& part = ran.emplace_back();
        part.part = parts_.size() - 1;
        part.counts.steps = execution_.steps() - steps;
        ++(end == Execution::End::kGivenUp ? part.counts.pruned : part.counts.executions);
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
      set_finding(into, part.finding.failure, part.finding.message, part.schedule);
      shared_->first_finding = part.part;
    }
    return true;
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
        work(shared_->workers[i]);
        _exit(0);
      }
      if (process > 0) processes.push_back(process);
    }
    std::size_t worked = 0;
    for (std::size_t i = 0; i < processes.size(); ++i) {
      int status = 0;
      while (waitpid(processes[i], &status, 0) < 0 && errno == EINTR) {
      }
      if (WIFEXITED(status) && WEXITSTATUS(status) == kNoThreads) continue;
      ++worked;
      if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) bury(shared_->workers[i], status);
    }
    if (worked == 0) work(shared_->workers[0]);  // the system gives no more processes, or no threads
  }

  // A worker died: that is what it found.
  void bury(Worker& worker, int status) {
    const std::string how = WIFSIGNALED(status) ? fmt::format("was ended by signal {} ({})", WTERMSIG(status),
                                                              strsignal(WTERMSIG(status)))
                                                : fmt::format("ended itself with {}", WEXITSTATUS(status));
    const Schedule schedule(worker.schedule.choices, worker.schedule.choices + worker.schedule.size);
    Result& result = shared_->results[worker.part];
    set_finding(result, runtime::Failure::kCrash, "the process " + how, schedule);
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
      if (part >= parts_.size() || part > shared_->first_finding || shared_->enough || shared_->out_of_time)
        break;
      if (shared_->results[part].complete) continue;
      worker.part = part;
      search(parts_[part], shared_->results[part], part);
    }
    execution_.show(nullptr);
  }

  void search(const Prefix& prefix, Result& result, std::size_t part) {
    const auto strategy = make_();
    strategy->confine(prefix);
    const std::uint64_t steps = execution_.steps();
    result.counts = {};
    for (bool more = true; more;) {
      const auto end = execution_.run(*strategy);
      ++(end == Execution::End::kGivenUp ? result.counts.pruned : result.counts.executions);
      if (end == Execution::End::kFinding) {
        set_finding(result, execution_.finding().failure, execution_.finding().message,
                    execution_.schedule());
        found(part);
        break;
      }
      more = strategy->end();
      if (more && limits_reached(end != Execution::End::kGivenUp)) {
        result.counts.steps = execution_.steps() - steps;
        return;
      }
    }
    result.counts.steps = execution_.steps() - steps;
    result.complete = true;
  }

  bool limits_reached(bool counts) {
    if (counts && limits_.executions != 0 && ++shared_->executions >= limits_.executions)
      shared_->enough = true;
    constexpr unsigned kLookAtClock = 256;
    if (limits_.seconds > 0 && ++looks_ % kLookAtClock == 0 &&
        std::chrono::duration<double>(Time::now() - begin_).count() > limits_.seconds) {
      shared_->out_of_time = true;
    }
    return shared_->enough || shared_->out_of_time;
  }

  ParallelResult result() const {
    ParallelResult all;
    for (std::size_t i = 0; i < parts_.size() && i <= shared_->first_finding; ++i) {
      const Result& part = shared_->results[i];
      all.counts.executions += part.counts.executions;
      all.counts.pruned += part.counts.pruned;
      all.counts.steps += part.counts.steps;
      if (!part.found) continue;
      all.finding = {.found = true, .failure = part.failure, .message = part.message};
      all.schedule.assign(part.schedule.choices, part.schedule.choices + part.schedule.size);
      all.died = std::find(dead_.begin(), dead_.end(), i) != dead_.end();
    }
    all.ended_by = all.finding.found      ? "finding"
                   : shared_->enough      ? "executions"
                   : shared_->out_of_time ? "seconds"
                                          : "exhausted";
    return all;
  }

  Execution& execution_;
  const std::function<std::unique_ptr<Strategy>()>& make_;
  const ParallelLimits& limits_;
  const Time::time_point begin_ = Time::now();
  unsigned looks_ = 0;
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
