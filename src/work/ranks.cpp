#include "work/ranks.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include <fmt/format.h>

#include "base/file_io.hpp"
#include "base/hash.hpp"
#include "base/message.hpp"
#include "work/forked_worker.hpp"
#include "work/frames.hpp"

namespace plumb::work {
namespace {

constexpr std::chrono::seconds kForHello{10};
constexpr std::chrono::seconds kForAll{60};
constexpr std::uint64_t kLongestHello = 1U << 16U;

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
  std::string secret;
  unsigned rank = 0;
  std::string host;
  std::uint64_t fingerprint = 0;
  std::string problem;

  [[nodiscard]] std::string message() const {
    return MessageWriter().text(secret).number(rank).text(host).number(fingerprint).text(problem).take();
  }
  static Hello read(std::string_view message) {
    MessageReader reader(message);
    Hello hello;
    hello.secret = reader.text();
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
  ServingWorker(int connection, std::string name)
      : connection_(connection), answers_(connection), name_(std::move(name)) {}
  ~ServingWorker() override { close(connection_); }

  bool give(const std::string& request) override { return send_frame(connection_, kRequest + request); }
  [[nodiscard]] int file() const override { return connection_; }
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
  void drop() override { send_frame(connection_, std::string(1, kDrop)); }
  [[nodiscard]] std::string name() const override { return name_; }

 private:
  int connection_;
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

// The life of a worker at another rank: until rank 0 is gone.
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

// A process of its own, out of mpirun's sight, which keeps none of the streams that mpirun waits for.
void daemonize(int connection, const Work& work) {
  if (fork() != 0) return;
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  serve(connection, work);
  _exit(0);
}

// Of rank 0: a process that works here. It is forked now, while this program has one thread: a child of a program that
// has more may find a lock taken by one of those, which is not there to release it. In a group of its own it is spared
// the signals that are meant for rank 0, with which it ends.
std::unique_ptr<Worker> worker_here(const Work& work) {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return nullptr;
  const pid_t rank_0 = getpid();
  const pid_t process = fork();
  if (process == 0) {
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != rank_0) _exit(0);
    close(ends[0]);
    serve(ends[1], work);
    _exit(0);
  }
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return nullptr;
  }
  return std::make_unique<ServingWorker>(ends[0], "a process here");
}

// Of a rank but 0: a connection for each process, and then the work.
Status work_for_rank_0(const Bootstrap& bootstrap, const JoinOptions& options, const Work& work) {
  const Hello hello{bootstrap.endpoint.secret, bootstrap.rank, host_name(), fingerprint(options.arguments),
                    options.problem};
  std::vector<int> connections;
  for (unsigned i = 0; i < options.processes; ++i) {
    const auto connection = connect(bootstrap.endpoint);
    if (!connection) return Error{fmt::format("{}: {}", hello.who(), connection.error().message)};
    set_timeout(*connection, kForAll);
    std::string welcome;
    FrameReader reader(*connection, kLongestHello);
    // Not let in: rank 0 says why.
    if (!send_frame(*connection, hello.message()) || !receive_frame(reader, welcome)) return Ok{};
    set_timeout(*connection, std::chrono::seconds(0));
    connections.push_back(*connection);
  }
  for (const int connection : connections) daemonize(connection, work);
  return Ok{};
}

class Acceptor {
 public:
  Acceptor(const Bootstrap& bootstrap, const JoinOptions& options)
      : listener_(*bootstrap.listener),
        options_(options),
        fingerprint_(fingerprint(options.arguments)),
        missing_((bootstrap.size - 1) * options.processes),
        problem_(options.problem) {}

  // The workers of the other ranks. One that does not connect in time is not waited for: there are others.
  Result<std::vector<std::unique_ptr<Worker>>> run() {
    const auto until = std::chrono::steady_clock::now() + kForAll;
    while (missing_ > 0) {
      const int connection = listener_.accept(until);
      if (connection < 0) break;
      set_timeout(connection, kForHello);
      FrameReader reader(connection, kLongestHello);
      std::string message;
      const Hello hello = receive_frame(reader, message) ? Hello::read(message) : Hello();
      if (hello.secret != listener_.endpoint().secret) {
        close(connection);
        continue;
      }
      --missing_;
      if (auto status = judge(hello); !status) {
        if (problem_.empty()) problem_ = status.error().message;
        close(connection);
        continue;
      }
      send_frame(connection, "");
      set_timeout(connection, std::chrono::seconds(0));
      workers_.push_back(std::make_unique<ServingWorker>(connection, hello.who()));
    }
    if (!problem_.empty()) return Error{problem_};
    for (std::size_t i = 0; i < missing_ && options_.pool.lost; ++i)
      options_.pool.lost("a rank that never came");
    return std::move(workers_);
  }

 private:
  [[nodiscard]] Status judge(const Hello& hello) const {
    if (hello.fingerprint != fingerprint_)
      return Error{fmt::format(
          "{} runs another build, or was given other arguments; all ranks must be the same", hello.who())};
    if (!hello.problem.empty()) return Error{fmt::format("{}: {}", hello.who(), hello.problem)};
    return Ok{};
  }

  const Listener& listener_;
  const JoinOptions& options_;
  std::uint64_t fingerprint_;
  std::size_t missing_;
  std::string
      problem_;  // the first that makes the run impossible; all are heard all the same, so that none waits
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace

Result<std::unique_ptr<WorkerPool>> join(const Bootstrap& bootstrap, const JoinOptions& options,
                                         const Work& work) {
  if (bootstrap.rank != 0) {
    if (const Status status = work_for_rank_0(bootstrap, options, work); !status) return status.error();
    return std::unique_ptr<WorkerPool>();
  }
  auto workers = Acceptor(bootstrap, options).run();
  if (!workers) return workers.error();
  for (unsigned i = 0; i < options.processes; ++i) {
    if (auto worker = worker_here(work)) workers->push_back(std::move(worker));
  }
  if (workers->empty()) return Error{"the system gives no process to work in"};
  return std::make_unique<WorkerPool>(std::move(*workers), options.pool);
}

}  // namespace plumb::work
