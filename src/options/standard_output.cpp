#include "options/standard_output.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>

namespace plumb {
namespace {

int g_error = 0;  // of the first write that failed
bool g_is_said = false;

void flush() {
  errno = 0;
  const bool ok = std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
  if (!ok && g_error == 0) g_error = errno != 0 ? errno : EIO;
}

}  // namespace

void prepare_standard_streams() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) != -1) continue;
    const int made = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
    if (made != descriptor) std::abort();  // the lowest free descriptor is the one that was closed
  }
  std::signal(SIGPIPE, SIG_DFL);
}

void write_output(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  flush();
}

bool output_has_arrived() {
  flush();
  if (g_error != 0 && !std::exchange(g_is_said, true))
    std::fprintf(stderr, "cannot write to standard output: %s\n", std::strerror(g_error));
  return g_error == 0;
}

}  // namespace plumb
