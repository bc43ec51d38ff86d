// The progress line: on a terminal, after a second, and gone when the verdict comes.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "cli/command.hpp"
#include "paths.hpp"

namespace plumb::test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// A terminal of which we are the other side.
class Terminal {
 public:
  Terminal() : master_(posix_openpt(O_RDWR | O_NOCTTY)) {
    if (master_ < 0 || grantpt(master_) != 0 || unlockpt(master_) != 0)
      throw std::runtime_error("no pseudo-terminal");
    path_ = ptsname(master_);
    slave_ = open(path_.c_str(), O_RDWR | O_NOCTTY);  // keeps it readable after the command has gone
    fcntl(master_, F_SETFL, O_NONBLOCK);
  }
  ~Terminal() {
    close(slave_);
    close(master_);
  }
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] std::string written() const {
    std::string text(1U << 16U, '\0');
    const ssize_t size = read(master_, text.data(), text.size());
    return text.substr(0, size < 0 ? 0 : static_cast<std::size_t>(size));
  }

 private:
  int master_;
  int slave_ = -1;
  std::string path_;
};

Ran run_on(const Terminal& terminal, std::vector<std::string> more, const std::string& seconds) {
  std::vector<std::string> arguments = {"check", "-", "-m", "register", "-e", "wgl", "-t", seconds};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return run(arguments, {.input = hard_history(), .err = terminal.path()});
}

TEST(Progress, IsShownOnATerminalAfterASecondAndWipedAway) {
  const Terminal terminal;
  const Ran ran = run_on(terminal, {}, "1.8");
  const std::string shown = terminal.written();
  EXPECT_THAT(shown, HasSubstr("checking 41 operations of -"));
  EXPECT_THAT(shown, EndsWith("\r\x1b[K"));
  EXPECT_THAT(ran.out, HasSubstr("unknown"));
}

TEST(Progress, IsNotShownBeforeNorWithQuiet) {
  const Terminal terminal;
  run_on(terminal, {}, "0.2");
  EXPECT_THAT(terminal.written(), IsEmpty());
  run_on(terminal, {"--quiet"}, "1.5");
  EXPECT_THAT(terminal.written(), IsEmpty());
}

// Where nobody looks on there is a line after ten seconds. The input comes late, so that
// nothing has to be computed.
TEST(Progress, IsALineNowAndThenWithoutATerminal) {
  const Folder folder;
  const std::string lines = folder.path("err");
  const auto check_slow_input = [&](const std::string& more) {
    const std::string command =
        "(sleep 15; echo) | " PLUMB_COMMAND " check - -m register " + more + " 2>" + lines;
    EXPECT_EQ(std::system((command + " >/dev/null").c_str()), 0);
    return read_whole(lines);
  };
  EXPECT_THAT(check_slow_input(""), HasSubstr("plumb: reading\n"));
  EXPECT_THAT(check_slow_input("--quiet"), Not(HasSubstr("reading")));
}

}  // namespace
}  // namespace plumb::test
