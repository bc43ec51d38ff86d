#include "cli/command.hpp"
#include "paths.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <thread>

#include <fmt/format.h>

namespace plumb::test {
namespace fs = std::filesystem;

Folder::Folder() {
  std::string pattern = (fs::temp_directory_path() / "plumb-test-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
  root_ = pattern;
}

Folder::~Folder() {
  std::error_code ignored;
  fs::remove_all(root_, ignored);
}

std::string Folder::write(const std::string& name, std::string_view text) const {
  const fs::path file = root_ / name;
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
  return file.string();
}

std::string read_whole(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

namespace {

void replace(int descriptor, const std::string& path, int flags) {
  constexpr mode_t kMode = 0600;
  const int opened = open(path.c_str(), flags, kMode);
  if (opened < 0 || dup2(opened, descriptor) < 0) _exit(127);
  close(opened);
}

}  // namespace

Process::Process(const std::vector<std::string>& arguments, const Setting& setting) : limit_(setting.limit) {
  const std::string in = folder_.write("in", setting.input);
  const std::string err = setting.err.empty() ? folder_.write("err", "") : setting.err;
  out_ = setting.out.empty() ? folder_.write("out", "") : setting.out;
  std::vector<char*> argv;
  for (const std::string& word : setting.under) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(const_cast<char*>(PLUMB_COMMAND));
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) throw std::runtime_error("fork");  // a signal to process -1 would reach everybody
  if (pid_ > 0) return;
  replace(STDIN_FILENO, in, O_RDONLY);
  replace(STDERR_FILENO, err, O_WRONLY | O_NOCTTY);
  if (out_ == "closed") {
    close(STDOUT_FILENO);
  } else {
    replace(STDOUT_FILENO, out_, O_WRONLY);
  }
  for (const auto& [name, value] : setting.env) setenv(name.c_str(), value.c_str(), 1);
  if (chdir(setting.directory.c_str()) == 0) execvp(argv[0], argv.data());
  _exit(127);
}

Process::~Process() {
  if (pid_ <= 0) return;
  kill_family();
  waitpid(pid_, nullptr, 0);
}

std::vector<pid_t> Process::family() const {
  std::map<pid_t, pid_t> parents;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    std::istringstream stat(read_whole((entry.path() / "stat").string()));
    pid_t process = 0;
    pid_t parent = 0;
    std::string text;
    stat >> process;
    std::getline(stat, text, ')');
    if (stat >> text >> parent) parents[process] = parent;
  }
  std::vector<pid_t> found = {pid_};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const auto& [process, parent] : parents) {
      if (parent == found[i]) found.push_back(process);
    }
  }
  return found;
}

void Process::kill_family() const {
  for (const pid_t process : family()) kill(process, SIGKILL);
}

void Process::wait_until_limit(int& state) const {
  const auto deadline = std::chrono::steady_clock::now() + limit_;
  while (waitpid(pid_, &state, WNOHANG) == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    if (std::chrono::steady_clock::now() < deadline) continue;
    std::string message = fmt::format("has not ended after {} s; these were there:\n", limit_.count());
    for (const pid_t process : family()) {
      const std::string folder = fmt::format("/proc/{}/", process);
      message +=
          fmt::format("{} {} {}\n", process, read_whole(folder + "cmdline"), read_whole(folder + "wchan"));
    }
    std::ranges::replace(message, '\0', ' ');
    throw std::runtime_error(message + "and this was printed:\n" + read_whole(out_) +
                             read_whole(folder_.path("err")));
  }
}

void Process::signal(int number) const {
  if (pid_ > 0) kill(pid_, number);
}

bool Process::wait_for_output(std::string_view text, std::chrono::milliseconds limit) const {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (std::chrono::steady_clock::now() < deadline) {
    if (read_whole(out_).find(text) != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

Ran Process::finish() {
  int state = 0;
  if (limit_ > std::chrono::seconds(0)) {
    wait_until_limit(state);
  } else {
    waitpid(pid_, &state, 0);
  }
  pid_ = -1;
  const int status = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
  return {status, read_whole(folder_.path("out")), read_whole(folder_.path("err"))};
}

Ran run(const std::vector<std::string>& arguments, const Setting& setting) {
  return Process(arguments, setting).finish();
}

std::string without_measurements(const std::string& text) {
  static const std::pair<std::regex, const char*> kAll[] = {
      {std::regex("[0-9]+\\.[0-9]+ ms"), "# ms"},
      {std::regex("\"elapsed_ms\":[0-9.]+"), "\"elapsed_ms\":#"},
      {std::regex("[0-9]+ configurations?"), "# configurations"},
      {std::regex("[0-9]+ executions?"), "# executions"},
      {std::regex("\"executions\":[0-9]+"), "\"executions\":#"},
      {std::regex("\"(serial|concurrent)_ms\":[0-9.]+"), "\"$1_ms\":#"},
      {std::regex("plumb1-[0-9a-f]+"), "plumb1-#"},
      {std::regex("explained    [0-9]+ of"), "explained    # of"},
      {std::regex("not yet      [^\n]+"), "not yet      #"},
      {std::regex("\"configurations\":[0-9]+"), "\"configurations\":#"}};
  std::string out = text;
  for (const auto& [pattern, replacement] : kAll) out = std::regex_replace(out, pattern, replacement);
  return out;
}

std::string operation(int process, std::string_view f, std::string_view args, std::string_view result,
                      int call, int ret) {
  return fmt::format(R"({{"process":{},"f":"{}","args":[{}],"result":{},"call":{},"return":{}}})", process, f,
                     args, result, call, ret) +
         "\n";
}

std::string hard_history(int writes) {
  std::string text;
  for (int i = 0; i < writes; ++i) text += operation(i, "write", fmt::format("{}", i), "null", i, 1000 + i);
  return text + operation(0, "read", "", "999", 2000, 2001);
}

}  // namespace plumb::test
