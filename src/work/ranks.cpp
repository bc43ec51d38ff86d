#include "work/ranks.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/file_io.hpp"
#include "base/hash.hpp"
#include "base/message.hpp"
#include "work/forked_worker.hpp"
#include "work/frames.hpp"

namespace plumb::work {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kForHello{60};  // all ranks are there: this is for one that has stopped

// What rank 0 says.
constexpr char kRequest = 'r';
constexpr char kDrop = 'd';

// Of the program and what it was told to do.
std::uint64_t fingerprint(const std::vector<std::string>& arguments) {
  std::uint64_t hash = 0;
  if (const auto program = InputFile::open("/proc/self/exe"); program && program->is_mapped())
    hash = hash64(program->mapped());
  for (const std::string& argument : arguments) hash = hash64(argument, hash);
  return hash;
}

struct Hello {
  unsigned rank = 0;
  std::string host;
  std::uint64_t fingerprint = 0;
  std::string problem;

  [[nodiscard]] std::string message() const {
    return MessageWriter().number(rank).text(host).number(fingerprint).text(problem).take();
  }
  static Hello read(std::string_view message) {
    MessageReader reader(message);
    Hello hello;
    hello.rank = static_cast<unsigned>(reader.number());
    hello.host = reader.text();
    hello.fingerprint = reader.number();
    hello.problem = reader.text();
    return hello;
  }
  [[nodiscard]] std::string who() const { return fmt::format("rank {} on {}", rank, host); }
};

// Of rank 0: a process that serves, of another rank or its own.
class ServingWorker final : public Worker {
 public:
  ServingWorker(Connection connection, std::string name)
      : connection_(std::move(connection)), answers_(connection_.file()), name_(std::move(name)) {}
  ~ServingWorker() override { connection_.end(); }

  bool give(const std::string& request) override { return send_frame(file(), kRequest + request); }
  [[nodiscard]] int file() const override { return connection_.file(); }
  State take(Answer& answer) override {
    std::string message;
    switch (answers_.read(message)) {
      case FrameReader::State::kMore:
        return State::kWorking;
      case FrameReader::State::kGone:
        return State::kLost;
      case FrameReader::State::kWhole:
        break;
    }
    MessageReader reader(message);
    const bool died = reader.number() != 0;
    const int how = static_cast<int>(reader.number());
    answer = {std::string(reader.text()), died ? std::optional(how) : std::nullopt};
    return State::kAnswered;
  }
  void drop() override { send_frame(file(), std::string(1, kDrop)); }
  [[nodiscard]] std::string name() const override { return name_; }

 private:
  Connection connection_;
  FrameReader answers_;
  std::string name_;
};

bool send_answer(int connection, const Answer& answer) {
  return send_frame(connection, MessageWriter()
                                    .number(answer.died ? 1 : 0)
                                    .number(static_cast<std::uint64_t>(answer.died.value_or(0)))
                                    .text(answer.text)
                                    .take());
}

// The life of a process that works for rank 0: until that is gone.
void serve(int connection, const Work& work) {
  ForkedWorker worker(work);
  FrameReader requests(connection);
  bool busy = false;
  for (;;) {
    pollfd files[] = {{.fd = connection, .events = POLLIN, .revents = 0},
                      {.fd = busy ? worker.file() : -1, .events = POLLIN, .revents = 0}};
    if (poll(files, 2, -1) < 0) continue;  // a signal
    if (files[1].revents != 0) {
      Answer answer;
      if (worker.take(answer) == Worker::State::kWorking) continue;
      busy = false;
      if (!send_answer(connection, answer)) return;
    }
    if (files[0].revents == 0) continue;
    std::string message;
    const FrameReader::State state = requests.read(message);
    if (state == FrameReader::State::kMore) continue;
    if (state == FrameReader::State::kGone) return;
    if (message.front() == kRequest) {
      busy = worker.give(message.substr(1));
      if (!busy) return;  // the system gives no more processes: others have to do it
    } else if (busy) {
      worker.drop();
    }
  }
}

// A process that works for rank 0, forked while this program has one thread: a child of a program that has more may find a lock taken by
// one of those, which is not there to release it. In a group of its own it is spared the signals that are meant for the program, with
// which it ends. `others`: what it does not need of this program's.
bool fork_server(int connection, const Work& work, const std::vector<int>& others) {
  const pid_t program = getpid();
  const pid_t process = fork();
  if (process != 0) return process > 0;
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != program) _exit(0);
  for (const int other : others) close(other);
  serve(connection, work);
  _exit(0);
}

// Of rank 0.
std::unique_ptr<Worker> worker_here(const Work& work) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return nullptr;
  Connection mine(ends[0]);
  const Connection its_end(ends[1]);
  if (!fork_server(its_end.file(), work, {mine.file()})) return nullptr;
  return std::make_unique<ServingWorker>(std::move(mine), "a process here");
}

// What a class under test prints elsewhere than at rank 0 is no output of the run.
void keep_output_to_oneself() {
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (nothing < 0) return;
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO}) dup2(nothing, stream);
  close(nothing);
}

// Of a rank but 0: until its processes have ended, which they do when rank 0 has no more work for them.
Status work_for_rank_0(Bridge& bridge, const JoinOptions& options, const Work& work) {
  auto connections = bridge.connections();
  if (!connections) return connections.error();
  const Hello hello{bridge.rank(), host_name(), fingerprint(options.arguments), options.problem};
  for (const RankConnection& each : *connections) send_frame(each.connection.file(), hello.message());
  for (const int number : {SIGINT, SIGTERM}) std::signal(number, SIG_DFL);  // nothing is to be told here
  keep_output_to_oneself();
  for (std::size_t i = 0; i < connections->size(); ++i) {
    std::vector<int> others;
    for (std::size_t j = 0; j < connections->size(); ++j) {
      if (j != i) others.push_back((*connections)[j].connection.file());
    }
    (void)fork_server((*connections)[i].connection.file(), work, others);
  }
  connections->clear();
  bool failed = false;
  int status = 0;
  for (pid_t ended = 0; (ended = wait(&status)) > 0 || errno == EINTR;)
    failed = failed || (ended == bridge.process() && status != 0);
  if (failed) return Error{fmt::format("{} has lost MPI", hello.who())};
  return Ok{};
}

// Nothing: it has not said who it is by then.
std::optional<Hello> hear(const Connection& connection, Clock::time_point until) {
  FrameReader reader(connection.file());
  std::string message;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    pollfd ready = {.fd = connection.file(), .events = POLLIN, .revents = 0};
    if (left <= 0 || (poll(&ready, 1, static_cast<int>(left)) == 0)) return std::nullopt;
    if (ready.revents == 0) continue;  // a signal
    const FrameReader::State state = reader.read(message);
    if (state == FrameReader::State::kGone) return std::nullopt;
    if (state == FrameReader::State::kWhole) return Hello::read(message);
  }
}

// What the rank that says this makes impossible; empty: nothing.
std::string problem_of(const Hello& hello, std::uint64_t mine) {
  if (hello.fingerprint != mine)
    return fmt::format("{} runs another build, or was given other arguments; all ranks must be the same",
                       hello.who());
  return hello.problem.empty() ? "" : fmt::format("{}: {}", hello.who(), hello.problem);
}

// Of rank 0: the workers of the other ranks. One that says nothing is done without: there are others.
Result<std::vector<std::unique_ptr<Worker>>> workers_elsewhere(std::vector<RankConnection> connections,
                                                               const JoinOptions& options) {
  const auto until = Clock::now() + kForHello;
  const std::uint64_t mine = fingerprint(options.arguments);
  std::string problem = options.problem;
  std::vector<std::unique_ptr<Worker>> workers;
  for (RankConnection& each : connections) {
    const auto hello = hear(each.connection, until);
    if (!hello && options.pool.lost) options.pool.lost(fmt::format("rank {}", each.rank));
    if (!hello) continue;
    if (problem.empty()) problem = problem_of(*hello, mine);
    workers.push_back(std::make_unique<ServingWorker>(std::move(each.connection), hello->who()));
  }
  if (!problem.empty()) return Error{problem};
  return workers;
}

}  // namespace

Result<std::unique_ptr<Ranks>> join(Bridge bridge, const JoinOptions& options, const Work& work) {
  if (bridge.rank() != 0) {
    if (const Status status = work_for_rank_0(bridge, options, work); !status) return status.error();
    return std::unique_ptr<Ranks>();
  }
  // Who kills the launcher wants the run to end.
  if (bridge.size() > 1) prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::vector<std::unique_ptr<Worker>> here;
  for (unsigned i = 0; i < options.processes; ++i) {
    if (auto worker = worker_here(work)) here.push_back(std::move(worker));
  }
  auto connections = bridge.connections();
  if (!connections) return connections.error();
  auto workers = workers_elsewhere(std::move(*connections), options);
  if (!workers) return workers.error();
  for (auto& worker : here) workers->push_back(std::move(worker));
  if (workers->empty()) return Error{"the system gives no process to work in"};
  return std::make_unique<Ranks>(std::move(bridge), WorkerPool(std::move(*workers), options.pool));
}

}  // namespace plumb::work
