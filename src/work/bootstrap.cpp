#include "work/bootstrap.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <locale>
#include <sstream>

#include <fmt/format.h>

namespace plumb::work {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProgram = "plumb-mpi";

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

// A running plumb-mpi, with a line of talk in both directions.
class Helper {
 public:
  explicit Helper(const std::string& program) {
    std::array<int, 2> down{};
    std::array<int, 2> up{};
    if (pipe2(down.data(), O_CLOEXEC) != 0 || pipe2(up.data(), O_CLOEXEC) != 0) return;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, down[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, up[1], STDOUT_FILENO);
    std::string name = program;
    std::array<char*, 2> words = {name.data(), nullptr};
    if (posix_spawn(&process_, name.c_str(), &actions, nullptr, words.data(), environ) != 0) process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    close(down[0]);
    close(up[1]);
    to_ = down[1];
    from_ = up[0];
  }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;
  ~Helper() {
    close(to_);
    close(from_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] bool running() const { return process_ > 0; }
  // Up to the end of a line, or of the output.
  std::string read_line() const {
    std::string line;
    for (char c = 0;;) {
      const ssize_t got = read(from_, &c, 1);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0 || c == '\n') return line;
      line += c;
    }
  }
  void write_line(const std::string& line) const {
    const std::string whole = line + "\n";
    [[maybe_unused]] const ssize_t sent = write(to_, whole.data(), whole.size());  // less than a pipe holds
  }

 private:
  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
};

}  // namespace

Result<Bootstrap> bootstrap() {
  const auto program = find_program();
  if (!program) {
    return Error{fmt::format(
        "--mpi: {0} is not installed here; it comes with the Debian package {0}, or where plumb is built "
        "with libopenmpi-dev installed; the variable PLUMB_MPI can name it",
        kProgram)};
  }
  const Helper helper(*program);
  Bootstrap bootstrap;
  std::istringstream numbers(helper.running() ? helper.read_line() : "");
  numbers.imbue(std::locale::classic());
  if (!(numbers >> bootstrap.rank >> bootstrap.size >> bootstrap.here))
    return Error{fmt::format("--mpi: {} did not say which rank this is", *program)};
  if (bootstrap.rank == 0) {
    // MPI's part is over, so it cannot tell that mpirun was killed; the others end with rank 0.
    if (bootstrap.size > 1) prctl(PR_SET_PDEATHSIG, SIGTERM);
    auto listener = Listener::open();
    if (!listener) return listener.error();
    helper.write_line(listener->endpoint().text());
    bootstrap.listener.emplace(std::move(listener).value());
    return bootstrap;
  }
  auto endpoint = Endpoint::parse(helper.read_line());
  if (!endpoint) return endpoint.error();
  bootstrap.endpoint = std::move(endpoint).value();
  return bootstrap;
}

}  // namespace plumb::work
