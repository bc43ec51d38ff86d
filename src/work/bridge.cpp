#include "work/bridge.hpp"

#include <poll.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <locale>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>

namespace plumb::work {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr const char* kProgram = "plumb-mpi";
constexpr std::chrono::minutes kToStart{5};   // all ranks, on however many machines
constexpr std::chrono::seconds kToLeave{30};  // MPI, for a rank that has nothing left to do

// Beside the program, where the package has it, where it was built, or where the environment says.
std::optional<std::string> find_program() {
  if (const char* told = std::getenv("PLUMB_MPI")) return told;
  std::error_code ignored;
  const fs::path folder = fs::read_symlink("/proc/self/exe", ignored).parent_path();
  for (const fs::path& path :
       {folder / kProgram, folder.parent_path() / "libexec/plumb" / kProgram,
        fs::path(PLUMB_LIBEXEC_DIR) / kProgram, fs::path(PLUMB_BUILD_DIR) / kProgram}) {
    if (access(path.c_str(), X_OK) == 0) return path.string();
  }
  return std::nullopt;
}

// False: nothing came, not even the end.
bool wait_for(int file, std::chrono::milliseconds most) {
  const auto until = Clock::now() + most;
  for (;;) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    pollfd ready = {.fd = file, .events = POLLIN, .revents = 0};
    if (poll(&ready, 1, static_cast<int>(left)) > 0) return true;
  }
}

// What the helper says, with a file or without one (-1).
struct Parcel {
  std::string text;
  int file = -1;
};

// Nothing: it is gone, or silent.
std::optional<Parcel> receive(int control) {
  if (!wait_for(control, kToStart)) return std::nullopt;
  Parcel parcel;
  std::array<char, 256> text{};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof parcel.file)> room{};
  iovec bytes = {.iov_base = text.data(), .iov_len = text.size()};
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = room.data();
  message.msg_controllen = room.size();
  const ssize_t got = recvmsg(control, &message, MSG_CMSG_CLOEXEC);
  if (got <= 0) return std::nullopt;
  parcel.text.assign(text.data(), static_cast<std::size_t>(got));
  const cmsghdr* head = CMSG_FIRSTHDR(&message);
  if (head != nullptr && head->cmsg_type == SCM_RIGHTS)
    std::memcpy(&parcel.file, CMSG_DATA(head), sizeof parcel.file);
  return parcel;
}

template <class... Numbers>
bool read_numbers(const std::string& text, Numbers&... numbers) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  return static_cast<bool>((in >> ... >> numbers));
}

// Open MPI's launcher drops what it has not passed on yet of the output of a rank that ends with another status than 0. So such a rank
// stays until its pipe or terminal is empty, and a little longer.
void wait_until_output_is_read() {
  constexpr std::chrono::seconds kMost{5};
  constexpr int kBetween = 2;    // milliseconds
  constexpr int kToPassOn = 50;  // likewise
  std::fflush(stdout);
  const unsigned long unread = isatty(STDOUT_FILENO) == 1 ? TIOCOUTQ : FIONREAD;
  const auto until = Clock::now() + kMost;
  int bytes = 0;
  while (ioctl(STDOUT_FILENO, unread, &bytes) == 0 && bytes > 0 && Clock::now() < until)
    poll(nullptr, 0, kBetween);
  poll(nullptr, 0, kToPassOn);
}

// There may be more connections than a process has files by default.
void raise_limit_of_files() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

std::string host_name() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  return name.data();
}

Connection::Connection(Connection&& other) noexcept : file_(std::exchange(other.file_, -1)) {}

Connection::~Connection() {
  if (file_ >= 0) close(file_);
}

void Connection::end() const { shutdown(file_, SHUT_RDWR); }

Result<Bridge> Bridge::open(unsigned processes) {
  const auto program = find_program();
  if (!program) {
    return Error{fmt::format(
        "--mpi: {0} is not installed here; it comes with the Debian package {0}, or where plumb is built "
        "with libopenmpi-dev installed; the variable PLUMB_MPI can name it",
        kProgram)};
  }
  std::array<int, 2> ends = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return Error{fmt::format("--mpi: the system gives no socket: {}", std::strerror(errno))};
  Bridge bridge(ends[0]);
  {
    const Connection its_end(
        ends[1]);  // of which nobody else may have a copy: so it is heard if the helper dies
    if (auto started = bridge.start(*program, processes, its_end.file()); !started) return started.error();
  }
  if (auto met = bridge.hear_who_this_is(*program); !met) return met.error();
  return bridge;
}

Status Bridge::start(const std::string& program, unsigned processes, int its_end) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, its_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);  // nothing of it is output
  std::string name = program;
  std::string count = std::to_string(processes);
  std::array<char*, 3> words = {name.data(), count.data(), nullptr};
  const int error = posix_spawn(&process_, name.c_str(), &actions, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) {
    process_ = -1;
    return Error{fmt::format("--mpi: {} cannot be started: {}", program, std::strerror(error))};
  }
  return Ok{};
}

Status Bridge::hear_who_this_is(const std::string& program) {
  const auto head = receive(control_->file());
  if (!head || !read_numbers(head->text, rank_, size_, here_, count_))
    return Error{fmt::format("--mpi: {} did not say which rank this is", program)};
  return Ok{};
}

Result<std::vector<RankConnection>> Bridge::connections() {
  raise_limit_of_files();
  std::vector<RankConnection> all;
  while (all.size() < count_) {
    auto parcel = receive(control_->file());
    unsigned rank = 0;
    if (!parcel || parcel->file < 0 || !read_numbers(parcel->text, rank))
      return Error{
          fmt::format("--mpi: {} did not connect the ranks; ulimit -n has to allow one file for each "
                      "process of another rank, of which there are {}",
                      kProgram, count_)};
    all.push_back({rank, Connection(parcel->file)});
  }
  return all;
}

Bridge::Bridge(Bridge&& other) noexcept
    : control_(std::move(other.control_)),
      process_(std::exchange(other.process_, -1)),
      rank_(other.rank_),
      size_(other.size_),
      here_(other.here_),
      count_(other.count_) {}

Bridge::~Bridge() {
  if (process_ <= 0) return;
  control_.reset();  // and what was not taken of it
  const auto until = Clock::now() + kToLeave;
  constexpr int kBetween = 2;  // milliseconds
  while (waitpid(process_, nullptr, WNOHANG) == 0) {
    if (Clock::now() > until) kill(process_, SIGKILL);
    poll(nullptr, 0, kBetween);
  }
  if (rank_ == 0 && size_ > 1) wait_until_output_is_read();
}

}  // namespace plumb::work
