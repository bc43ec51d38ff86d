// What ends the process: exit, _exit, _Exit, quick_exit, exec. Under exploration a call is a finding of this execution. Elsewhere, in real threads
// or in what a test says outside its operations, it would end the program before the verdict is said, and with status 0 perhaps: so
// while an EndGuard lives, it is told instead, and the status is that of an error.
#pragma once

#include <functional>
#include <string>

namespace plumb::runtime {

struct EndOfProcess {
  std::string call;          // "exit(0)"; empty: it is not known
  const void* pc = nullptr;  // behind the call
  std::string under_test;    // what this thread runs of it: "pop"; empty: nothing
};

class EndGuard {
 public:
  // `tell` says so, and returns the exit status.
  explicit EndGuard(std::function<int(const EndOfProcess&)> tell);
  ~EndGuard();
  EndGuard(const EndGuard&) = delete;
  EndGuard& operator=(const EndGuard&) = delete;

  // To the innermost, which ends the process then; returns where none lives.
  static void tell(std::string call, const void* pc);

 private:
  std::function<int(const EndOfProcess&)> tell_;
  const EndGuard* before_;
  int process_;  // children of it end as they like, and whoever started them sees that
};

// What this thread runs is code under test, while this lives; `name` says which: "pop".
class RunsUnderTest {
 public:
  explicit RunsUnderTest(std::function<std::string()> name);
  ~RunsUnderTest();
  RunsUnderTest(const RunsUnderTest&) = delete;
  RunsUnderTest& operator=(const RunsUnderTest&) = delete;
  [[nodiscard]] std::string name() const { return name_(); }

 private:
  std::function<std::string()> name_;
  const RunsUnderTest* before_;
};

// From now on what ends the process from within a library is noticed, too: its status is that of an error.
void watch_the_end();

// Ends the process as _exit does, guarded or not: the engine's own way.
[[noreturn]] void end_process(int status);

}  // namespace plumb::runtime
