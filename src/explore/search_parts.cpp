#include "explore/search_parts.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/jobs.hpp"
#include "base/little_endian.hpp"
#include "explore/strategies.hpp"
#include "explore/weak_orders.hpp"
#include "runtime/fiber.hpp"
#include "runtime/signals.hpp"

namespace plumb::engine {
namespace {

// By processor time, since a busy machine makes no search longer. To fork costs some milliseconds.
constexpr Seconds kLeast{0.5};
constexpr Seconds kLeastOfPart{0.05};
constexpr unsigned kAskedBetween = 16;  // looks at the clock
constexpr char kReady = 'r';
constexpr int kCannotEnd = 72;  // how a child ends that has to end, and could not be interrupted
// Children end themselves; these are for one that does not even do that.
constexpr Seconds kPatience{4};
constexpr Seconds kPatienceOnRequest{0.9};

bool g_at_once = false;
std::uint64_t g_handed_over = 0;

Seconds processor_time() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return Seconds(static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9);
}

void write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) _exit(0);  // nobody listens any more
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

// So many bytes, or fewer where there are no more.
std::string read_up_to(int file, std::size_t size) {
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t more = read(file, bytes.data() + have, size - have);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) break;
    have += static_cast<std::size_t>(more);
  }
  bytes.resize(have);
  return bytes;
}

std::string size_of(std::string_view message) {
  std::string size(sizeof(std::uint64_t), '\0');
  store_little(std::uint64_t{message.size()}, size.data());
  return size;
}

std::optional<SearchedPart> read_part_from(int file) {
  const std::string size = read_up_to(file, sizeof(std::uint64_t));
  if (size.size() < sizeof(std::uint64_t)) return std::nullopt;
  return read_part(read_up_to(file, static_cast<std::size_t>(load_little<std::uint64_t>(size.data()))));
}

int end_of(pid_t process) {
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string how_it_ended(int status) {
  return WIFSIGNALED(status)
             ? fmt::format("was ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)))
             : fmt::format("ended itself with {}", WEXITSTATUS(status));
}

[[noreturn]] void die_like(int status) {
  if (WIFSIGNALED(status)) {
    struct sigaction by_default = {};
    by_default.sa_handler = SIG_DFL;
    sigaction(WTERMSIG(status), &by_default, nullptr);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    kill(getpid(), WTERMSIG(status));
  }
  _exit(WIFEXITED(status) && WEXITSTATUS(status) != 0 ? WEXITSTATUS(status) : 1);
}

// What a bound on older values leaves out, and traces, are known to one process.
bool may_be_shared(const ExploreOptions& options) {
  return !options.older_values && !options.count_traces && !strategy_traits(options).random &&
         options.replay.empty();
}

}  // namespace

struct SearchParts::Known {
  LiveSchedule choices;
  char words[512];  // the last ones of a child that could not be interrupted
};

void share_out_at_once(bool at_once) { g_at_once = at_once; }

std::uint64_t parts_handed_over() { return g_handed_over; }

SearchParts::SearchParts(SplitSearch& search, ProgramRunner& runner, const ExploreOptions& options,
                         Observer* observer, const Watch& watch, Exploration& result)
    : search_(search),
      runner_(runner),
      options_(options),
      observer_(observer),
      watch_(watch),
      result_(result),
      cores_(observer == nullptr || options.executions ? nullptr : observer->spare_cores()) {
  if (observer == nullptr && workers_for(options.jobs) > 1) {
    own_cores_.emplace();
    own_cores_->set_idle(static_cast<int>(workers_for(options.jobs)) - 1);
    cores_ = &*own_cores_;
  }
  if (!may_be_shared(options)) cores_ = nullptr;
  if (cores_ != nullptr) least_ = processor_time() + (own_cores_ ? kLeastOfPart : kLeast);
}

bool SearchParts::wanted() {
  if (cores_ == nullptr || !cores_->any()) return false;
  return g_at_once || (asked_++ % kAskedBetween == 0 && processor_time() >= least_);
}

std::uint64_t SearchParts::all_executions() {
  if (!own_cores_ || !options_.executions) return result_.executions;
  return own_cores_->count_executions(result_.executions - std::exchange(counted_, result_.executions));
}

bool SearchParts::hand_over() {
  if (!cores_->take()) return false;
  least_ = processor_time() + kLeastOfPart;
  (void)all_executions();
  Part part;
  if (observer_ == nullptr) {
    void* memory = mmap(nullptr, sizeof(Known), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) part.known = static_cast<Known*>(memory);
  }
  std::array<int, 2> ends{-1, -1};
  const pid_t parent = getpid();
  part.process = pipe2(ends.data(), O_CLOEXEC) == 0 ? fork() : -1;
  if (part.process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    for (const Part& other : parts_) forget(other);
    parts_.clear();
    close(ends[0]);
    part.pipe = ends[1];
    live(part);
  }
  if (ends[1] >= 0) close(ends[1]);
  part.pipe = ends[0];
  if (part.process > 0 && !read_up_to(part.pipe, 1).empty()) {
    parts_.push_back(part);
    ++g_handed_over;
    return true;
  }
  if (part.process > 0) (void)end_of(part.process);
  forget(part);
  cores_->give_back();
  return false;
}

// Of the child. It says that it has begun, since the system may not give it the threads that it needs.
void SearchParts::live(const Part& self) {
  if (!runtime::Fibers::instance().after_fork()) _exit(0);
  write_all(self.pipe, std::string_view(&kReady, 1));
  least_ = processor_time() + kLeastOfPart;
  const std::string message = to_message(searched(self));
  cores_->give_back();
  write_all(self.pipe, size_of(message));
  write_all(self.pipe, message);
  _exit(0);
}

SearchedPart SearchParts::searched(const Part& self) {
  if (self.known != nullptr) runner_.execution().show(&self.known->choices);
  const runtime::CatchSignals signals(options_.watchdog);
  const runtime::Watchdog watchdog(runner_.execution(), terms_of(self));
  const std::uint64_t steps = runner_.steps();
  result_ = {};
  counted_ = 0;
  SearchedPart part{.to = search_.search_last_part()};
  part.figures = std::move(result_);
  part.figures.steps += runner_.steps() - steps;
  part.figures.held_back |= runner_.execution().held_back();
  part.has_weak_orders = g_has_weak_orders;
  if (observer_ != nullptr) part.learnt = observer_->learnt();
  if (part.to == SearchedTo::kFinding) {
    const Finding& finding = runner_.execution().finding();
    part.figures.kind = finding.kind;
    part.figures.refused = finding.refused;
    part.figures.message = finding.message;
  }
  search_.complete(part);
  return part;
}

runtime::WatchTerms SearchParts::terms_of(const Part& self) {
  runtime::WatchTerms terms = watch_.terms();
  if (observer_ != nullptr) return terms;
  terms.stop = own_cores_->stop();
  terms.cannot_end = [this, words = self.known](const runtime::Standstill& standstill) {
    const std::string text = watch_.text(standstill) + ", and cannot be interrupted";
    if (words != nullptr)
      std::memcpy(words->words, text.data(), std::min(text.size(), sizeof words->words - 1));
    _exit(kCannotEnd);
  };
  return terms;
}

// What comes behind a finding does not count, nor what is to begin anew. Where a limit of all is met all end by themselves, and one of them
// may have found something before.
SearchedTo SearchParts::collect(SearchedTo own) {
  SearchedTo to = own;
  const auto wants_more = [&] {
    const bool all_end = runtime::Watchdog::over() || result_.ended_by == SearchEnd::kExecutions;
    return to == SearchedTo::kEnd || (to == SearchedTo::kLimit && all_end);
  };
  while (wants_more() && !parts_.empty()) {
    const Part part = parts_.back();
    parts_.pop_back();
    if (const SearchedTo other = take_from(part); other != SearchedTo::kEnd) to = other;
    forget(part);
  }
  drop();
  return to;
}

SearchedTo SearchParts::take_from(const Part& from) {
  const bool has_answered = wait_for(from);
  const auto part = has_answered ? read_part_from(from.pipe) : std::nullopt;
  const int status = end_of(from.process);
  if (part) return take(*part);
  return has_answered ? note_death(from, status)
                      : cut_off("a process that took part did not end, and was killed");
}

// False: it had to be killed.
bool SearchParts::wait_for(const Part& part) {
  constexpr int kMoment = 50;  // milliseconds
  std::optional<Time::time_point> over;
  pollfd polled{.fd = part.pipe, .events = POLLIN, .revents = 0};
  while (poll(&polled, 1, kMoment) <= 0) {
    if (watch_.asked() && own_cores_) *own_cores_->stop() = true;
    if (!over && runtime::Watchdog::over()) over = Time::now();
    if (!over || Time::now() - *over < (watch_.asked() ? kPatienceOnRequest : kPatience)) continue;
    kill(part.process, SIGKILL);
    return false;
  }
  return true;
}

SearchedTo SearchParts::take(const SearchedPart& part) {
  if (part.to == SearchedTo::kRestart) return part.to;
  add_figures(part, result_);
  search_.note(part);
  if (part.to == SearchedTo::kFinding) return come_to(part);
  if (observer_ != nullptr) observer_->learn(part.learnt);
  if (part.to != SearchedTo::kLimit) return part.to;
  if (part.figures.verdict == Outcome::kViolation) {
    believe(part, result_);
  } else {
    result_.ended_by = watch_.asked() ? SearchEnd::kStopped : part.figures.ended_by;
    if (result_.message.empty()) result_.message = part.figures.message;
  }
  return part.to;
}

SearchedTo SearchParts::come_to(const SearchedPart& part) {
  const runtime::Watchdog watchdog(runner_.execution(), watch_.terms_for_trace());
  const std::uint64_t steps = runner_.steps();
  const bool is_found = search_.find_again(part.choices);
  result_.steps -= runner_.steps() - steps;  // which count already
  if (observer_ != nullptr) observer_->learn(part.learnt);
  if (is_found) return SearchedTo::kFinding;
  if (watch_.is_nearly_over() || (observer_ != nullptr && observer_->enough())) {
    believe(part, result_);
  } else {
    disbelieve(result_);
  }
  return SearchedTo::kLimit;
}

// To run again what it ran would end this process.
SearchedTo SearchParts::note_death(const Part& part, int status) {
  if (observer_ != nullptr) die_like(status);
  if (WIFEXITED(status) && WEXITSTATUS(status) == kCannotEnd)
    return cut_off(part.known != nullptr ? part.known->words : "");
  SearchedPart crash;
  crash.figures.kind = FindingKind::kCrash;
  crash.figures.message = "the process " + how_it_ended(status);
  if (part.known != nullptr && part.known->choices.size > 0) {
    const auto* const choices = part.known->choices.choices;
    crash.figures.replay = to_token(MemoryModel::kSequential, {choices, choices + part.known->choices.size});
  }
  believe(crash, result_);
  return SearchedTo::kLimit;
}

SearchedTo SearchParts::cut_off(std::string_view why) {
  result_.ended_by = watch_.ended_by();
  if (result_.message.empty()) result_.message = why;
  return SearchedTo::kLimit;
}

void SearchParts::drop() {
  for (const Part& part : parts_) {
    kill(part.process, SIGKILL);
    (void)end_of(part.process);
    if (read_up_to(part.pipe, 1).empty()) cores_->give_back();  // else it has done so itself
    forget(part);
  }
  parts_.clear();
}

void SearchParts::forget(const Part& part) const {
  if (part.pipe >= 0) close(part.pipe);
  if (part.known != nullptr) munmap(part.known, sizeof(Known));
}

}  // namespace plumb::engine
