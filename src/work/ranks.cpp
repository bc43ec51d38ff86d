#include "work/ranks.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <utility>

#include <fmt/format.h>

#include "base/file_io.hpp"
#include "base/hash.hpp"
#include "base/message.hpp"
#include "work/forked_seat.hpp"
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

// Of rank 0: one process of another rank.
class RemoteSeat final : public Seat {
 public:
  RemoteSeat(int connection, std::string name)
      : connection_(connection), answers_(connection), name_(std::move(name)) {}
  ~RemoteSeat() override { close(connection_); }

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

// The life of a seat at another rank: until rank 0 is gone.
void serve(int connection, const Work& work) {
  ForkedSeat seat(work);
  FrameReader requests(connection);
  bool busy = false;
  for (;;) {
    pollfd files[] = {{.fd = connection, .events = POLLIN, .revents = 0},
                      {.fd = busy ? seat.file() : -1, .events = POLLIN, .revents = 0}};
    if (poll(files, 2, -1) < 0) continue;  // a signal
    if (files[1].revents != 0) {
      Answer answer;
      if (seat.take(answer) == Seat::State::kWorking) continue;
      busy = false;
      if (!send_answer(connection, answer)) return;
    }
    if (files[0].revents == 0) continue;
    std::string message;
    const FrameReader::State state = requests.read(message);
    if (state == FrameReader::State::kMore) continue;
    if (state == FrameReader::State::kGone) return;
    if (message.front() == kRequest) {
      busy = seat.give(message.substr(1));
      if (!busy) return;  // the system gives no more processes: others have to do it
    } else if (busy) {
      seat.drop();
    }
  }
}

// A process of its own, out of mpirun's sight, which keeps none of the streams that mpirun waits for.
void leave_mpirun(int connection, const Work& work) {
  if (fork() != 0) return;
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  serve(connection, work);
  _exit(0);
}

// Of a rank but 0: a connection for each process, and then the work.
Status work_for_rank_0(const Meeting& meeting, const Joining& joining, const Work& work) {
  const Hello hello{meeting.invitation.secret, meeting.rank, host_name(), fingerprint(joining.arguments),
                    joining.problem};
  std::vector<int> connections;
  for (unsigned i = 0; i < joining.processes; ++i) {
    const auto connection = dial(meeting.invitation);
    if (!connection) return Error{fmt::format("{}: {}", hello.who(), connection.error().message)};
    set_patience(*connection, kForAll);
    std::string welcome;
    FrameReader reader(*connection, kLongestHello);
    // Not let in: rank 0 says why.
    if (!send_frame(*connection, hello.message()) || !receive_frame(reader, welcome)) return Done{};
    set_patience(*connection, std::chrono::seconds(0));
    connections.push_back(*connection);
  }
  for (const int connection : connections) leave_mpirun(connection, work);
  return Done{};
}

class Gathering {
 public:
  Gathering(const Meeting& meeting, const Joining& joining)
      : listener_(*meeting.listener),
        joining_(joining),
        fingerprint_(fingerprint(joining.arguments)),
        missing_((meeting.size - 1) * joining.processes),
        problem_(joining.problem) {}

  // The seats of the others. Who does not come in time is not waited for: there are others.
  Result<std::vector<std::unique_ptr<Seat>>> run() {
    const auto until = std::chrono::steady_clock::now() + kForAll;
    while (missing_ > 0) {
      const int connection = listener_.accept(until);
      if (connection < 0) break;
      set_patience(connection, kForHello);
      FrameReader reader(connection, kLongestHello);
      std::string message;
      const Hello hello = receive_frame(reader, message) ? Hello::read(message) : Hello();
      if (hello.secret != listener_.invitation().secret) {
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
      set_patience(connection, std::chrono::seconds(0));
      seats_.push_back(std::make_unique<RemoteSeat>(connection, hello.who()));
    }
    if (!problem_.empty()) return Error{problem_};
    for (std::size_t i = 0; i < missing_ && joining_.terms.lost; ++i)
      joining_.terms.lost("a rank that never came");
    return std::move(seats_);
  }

 private:
  [[nodiscard]] Status judge(const Hello& hello) const {
    if (hello.fingerprint != fingerprint_)
      return Error{fmt::format(
          "{} runs another build, or was given other arguments; all ranks must be the same", hello.who())};
    if (!hello.problem.empty()) return Error{fmt::format("{}: {}", hello.who(), hello.problem)};
    return Done{};
  }

  const Listener& listener_;
  const Joining& joining_;
  std::uint64_t fingerprint_;
  std::size_t missing_;
  std::string
      problem_;  // the first that makes the run impossible; all are heard all the same, so that none waits
  std::vector<std::unique_ptr<Seat>> seats_;
};

}  // namespace

Result<std::unique_ptr<Hands>> join(const Meeting& meeting, const Joining& joining, const Work& work) {
  if (meeting.rank != 0) {
    if (const Status status = work_for_rank_0(meeting, joining, work); !status) return status.error();
    return std::unique_ptr<Hands>();
  }
  auto seats = Gathering(meeting, joining).run();
  if (!seats) return seats.error();
  for (unsigned i = 0; i < joining.processes; ++i) seats->push_back(std::make_unique<ForkedSeat>(work));
  return std::make_unique<Hands>(std::move(*seats), joining.terms);
}

}  // namespace plumb::work
