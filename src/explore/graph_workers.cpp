#include "explore/graph_workers.hpp"

#include <poll.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "runtime/fiber.hpp"
#include "runtime/signals.hpp"

namespace plumb::engine {
namespace {

constexpr int kNoThreads = 71;  // how a worker ends that the system gives no threads

// By all processes.
struct Shared {
  std::atomic<std::size_t> next;         // part that is not taken yet
  std::atomic<std::size_t> last_wanted;  // no part behind it is
  std::atomic<std::uint64_t> executions;
  std::atomic<bool> stop;
};

// Numbers and texts as bytes, one after the other.
class Message {
 public:
  void add(std::uint64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(std::string_view text) {
    add(text.size());
    bytes_.append(text);
  }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::uint64_t number() {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes_.data(), sizeof number);
    bytes_.remove_prefix(sizeof number);
    return number;
  }
  std::string_view text() {
    const auto size = static_cast<std::size_t>(number());
    const std::string_view text = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return text;
  }

 private:
  std::string_view bytes_;
};

// The part's number, and what became of it, behind its length.
std::string to_message(std::size_t number, const PartOfGraphs& part) {
  Message body;
  body.add(number);
  body.add(static_cast<std::uint64_t>(part.end));
  body.add(part.counts.executions);
  body.add(part.counts.pruned);
  body.add(part.counts.steps);
  body.add(part.counts.held_back ? 1 : 0);
  body.add(part.outcomes.size());
  for (const auto& [outcome, executions] : part.outcomes) {
    body.add(outcome);
    body.add(executions);
  }
  body.add(std::string_view(reinterpret_cast<const char*>(part.choices.data()), part.choices.size()));
  body.add(part.message);
  Message whole;
  whole.add(body.bytes());
  return whole.bytes();
}

void read_message(std::string_view body, std::vector<PartOfGraphs>& parts) {
  Reader reader(body);
  PartOfGraphs& part = parts[static_cast<std::size_t>(reader.number())];
  part.end = static_cast<PartOfGraphs::End>(reader.number());
  part.counts.executions = reader.number();
  part.counts.pruned = reader.number();
  part.counts.steps = reader.number();
  part.counts.held_back = reader.number() != 0;
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    const std::string outcome(reader.text());
    part.outcomes[outcome] = reader.number();
  }
  const std::string_view choices = reader.text();
  part.choices.assign(choices.begin(), choices.end());
  part.message = reader.text();
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(1);
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

class Workers {
 public:
  Workers(Execution& execution, const Watch& watch, const GraphWork& work)
      : execution_(execution), watch_(watch), work_(work), parts_(work.parts) {
    void* memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared_ = memory == MAP_FAILED ? nullptr : new (memory) Shared{};
    if (shared_ != nullptr) shared_->last_wanted = work.parts;
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers() {
    if (shared_ != nullptr) munmap(shared_, sizeof(Shared));
  }

  GraphWorkDone run() {
    if (shared_ != nullptr) {
      for (unsigned i = 0; i < work_.jobs; ++i) start();
      while (read_some()) {
        if (watch_.asked()) shared_->stop = true;
      }
      for (const Process& process : processes_) bury(process);
    }
    return result();
  }

 private:
  struct Process {
    pid_t id = 0;
    int pipe = -1;
    std::string bytes = {};  // that came and are no whole message yet
    bool is_open = true;
    std::optional<std::size_t> part = std::nullopt;  // that it said it takes
  };

  void start() {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) return;
    const pid_t process = fork();
    if (process == 0) {
      close(ends[0]);
      if (!runtime::Fibers::instance().after_fork()) _exit(kNoThreads);
      const runtime::CatchSignals signals(work_.watchdog);
      {
        runtime::WatchTerms terms = watch_.terms();
        terms.stop = &shared_->stop;
        terms.cannot_end = [](const runtime::Standstill&) { _exit(kNoThreads + 1); };
        const runtime::Watchdog watchdog(execution_, terms);
        live(ends[1]);
      }
      _exit(0);
    }
    close(ends[1]);
    if (process < 0) {
      close(ends[0]);
      return;
    }
    processes_.push_back({.id = process, .pipe = ends[0]});
  }

  // Life of a worker. A part is named before it is begun: should the process die, it is known with what.
  void live(int pipe) {
    for (;;) {
      const std::size_t number = shared_->next++;
      if (number >= work_.parts || number > shared_->last_wanted || shared_->stop) return;
      write_all(pipe, to_message(number, {.end = PartOfGraphs::End::kDied}));
      const auto is_wanted = [&](std::uint64_t executions) {
        if ((shared_->executions += executions) >= work_.executions) shared_->stop = true;
        return number <= shared_->last_wanted && !shared_->stop;
      };
      const PartOfGraphs part = work_.search(number, is_wanted);
      if (part.end != PartOfGraphs::End::kComplete) want_up_to(number);
      write_all(pipe, to_message(number, part));
    }
  }

  void want_up_to(std::size_t part) {
    std::size_t last = shared_->last_wanted;
    while (part < last && !shared_->last_wanted.compare_exchange_weak(last, part)) {
    }
  }

  // Waits a moment for messages. False: all pipes are closed.
  bool read_some() {
    constexpr int kMoment = 50;  // milliseconds
    std::vector<pollfd> polled;
    for (const Process& process : processes_) {
      if (process.is_open) polled.push_back({.fd = process.pipe, .events = POLLIN, .revents = 0});
    }
    if (polled.empty()) return false;
    if (poll(polled.data(), polled.size(), kMoment) <= 0) return true;
    for (Process& process : processes_) {
      for (const pollfd& ready : polled) {
        if (ready.fd == process.pipe && ready.revents != 0) read(process);
      }
    }
    return true;
  }

  void read(Process& process) {
    std::array<char, 1 << 16> buffer{};
    const ssize_t size = ::read(process.pipe, buffer.data(), buffer.size());
    if (size < 0 && errno == EINTR) return;
    if (size <= 0) {
      process.is_open = false;
      close(process.pipe);
      return;
    }
    process.bytes.append(buffer.data(), static_cast<std::size_t>(size));
    while (process.bytes.size() >= sizeof(std::uint64_t)) {
      const auto length = static_cast<std::size_t>(Reader(process.bytes).number());
      if (process.bytes.size() < sizeof(std::uint64_t) + length) return;
      read_message(std::string_view(process.bytes).substr(sizeof(std::uint64_t), length), parts_);
      process.part = static_cast<std::size_t>(
          Reader(std::string_view(process.bytes).substr(sizeof(std::uint64_t))).number());
      process.bytes.erase(0, sizeof(std::uint64_t) + length);
    }
  }

  void bury(const Process& process) {
    int status = 0;
    while (waitpid(process.id, &status, 0) < 0 && errno == EINTR) {
    }
    if (!process.part || parts_[*process.part].end != PartOfGraphs::End::kDied) return;
    parts_[*process.part].message =
        WIFSIGNALED(status) ? fmt::format("the process was ended by signal {} ({})", WTERMSIG(status),
                                          strsignal(WTERMSIG(status)))
                            : fmt::format("the process ended itself with {}", WEXITSTATUS(status));
  }

  GraphWorkDone result() {
    GraphWorkDone done;
    for (PartOfGraphs& part : parts_) {
      const bool complete = part.end == PartOfGraphs::End::kComplete;
      const bool found = part.end == PartOfGraphs::End::kFinding || part.end == PartOfGraphs::End::kDied;
      if (!complete && !found && part.end != PartOfGraphs::End::kRestart)
        done.ended_by = watch_.asked() ? SearchEnd::kStopped
                        : shared_ != nullptr && shared_->executions >= work_.executions
                            ? SearchEnd::kExecutions
                            : SearchEnd::kTimeout;
      if (found) done.ended_by = SearchEnd::kFinding;
      done.parts.push_back(std::move(part));
      if (!complete) break;
    }
    return done;
  }

  Execution& execution_;
  const Watch& watch_;
  const GraphWork& work_;
  std::vector<PartOfGraphs> parts_;
  std::vector<Process> processes_;
  Shared* shared_ = nullptr;
};

}  // namespace

GraphWorkDone search_parts(Execution& execution, const Watch& watch, const GraphWork& work) {
  return Workers(execution, watch, work).run();
}

}  // namespace plumb::engine
