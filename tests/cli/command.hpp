// Runs the built command for real, in a folder of its own, and tells what came out.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace plumb::test {

struct Ran {
  int status = -1;  // the exit status; -signal if it was killed
  std::string out;
  std::string err;
};

// A folder that goes away with the test.
class Folder {
 public:
  Folder();
  ~Folder();
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  // Writes a file (folders on the way are made) and gives its path.
  std::string write(const std::string& name, std::string_view text) const;
  [[nodiscard]] std::string path(const std::string& name) const { return (root_ / name).string(); }

 private:
  std::filesystem::path root_;
};

[[nodiscard]] std::string read_whole(const std::string& path);

struct Setting {
  std::string input = {};       // standard input
  std::string directory = ".";  // where it runs
  std::string out = {};         // a file for standard output; "closed": there is none
  std::string err = {};         // likewise for standard error, a file
  std::vector<std::pair<std::string, std::string>> env = {};
  std::vector<std::string> under = {};  // a program that runs it, with its options: mpirun
  // Whatever did not end by then is killed, with all that it started, and the test says what it had printed; 0: it is waited for.
  std::chrono::seconds limit{0};
};

// A running command. `finish` waits, `signal` does not.
class Process {
 public:
  Process(const std::vector<std::string>& arguments, const Setting& setting);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  void signal(int number) const;
  // Waits until standard output holds `text`; false when it never did.
  [[nodiscard]] bool wait_for_output(std::string_view text, std::chrono::milliseconds limit) const;
  Ran finish();
  // It and all that it started, and these, …: those that are there now.
  [[nodiscard]] std::vector<pid_t> family() const;

 private:
  void wait_until_limit(int& state) const;
  void kill_family() const;

  Folder folder_;
  std::string out_;
  std::chrono::seconds limit_;
  pid_t pid_ = -1;
};

Ran run(const std::vector<std::string>& arguments, const Setting& setting = {});

// What differs from run to run, or with every improvement of an engine: times, how many configurations
// were met, and how far a search came whose time was spent.
[[nodiscard]] std::string without_measurements(const std::string& text);

// One operation in the native format.
[[nodiscard]] std::string operation(int process, std::string_view f, std::string_view args,
                                    std::string_view result, int call, int ret);

// A register history whose search takes longer than anybody waits: every order of `writes` concurrent writes
// is tried before a read of something never written.
[[nodiscard]] std::string hard_history(int writes = 40);

}  // namespace plumb::test
