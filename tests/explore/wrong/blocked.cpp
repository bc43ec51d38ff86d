// Code that does not come to its next step: it waits in the kernel, or computes without end. The time and a
// request to stop hold all the same, and the result says who stands where. Times are generous: nobody waits
// forever, that is all they say.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/explore.hpp>

namespace {

using plumb::Exploration;
using plumb::ExploreOptions;
using plumb::Outcome;
using plumb::Program;
using plumb::SearchEnd;
using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using Clock = std::chrono::steady_clock;

constexpr double kLong = 20;  // seconds: what is asked for takes less than one

struct Pipe {
  Pipe() { EXPECT_EQ(pipe(ends), 0); }
  ~Pipe() {
    close(ends[0]);
    close(ends[1]);
  }
  int ends[2] = {-1, -1};
};

void read_for_ever(const Pipe& pipe) {
  char byte = 0;
  (void)!read(pipe.ends[0], &byte, 1);
}

// Two threads, of which the second does it.
Exploration explored(const std::function<void()>& blocks, const ExploreOptions& options) {
  return plumb::explore(
      [&](Program& p) {
        std::atomic<int> n{0};
        p.thread([&] { n.store(1); });
        p.thread([&] {
          n.load();
          blocks();
        });
        p.run();
      },
      options);
}

void expect_cut_off(const Exploration& result, const std::string& where) {
  EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.text();
  EXPECT_FALSE(result.exhausted);
  EXPECT_THAT(result.message, HasSubstr("thread 2 has not ended"));
  EXPECT_THAT(result.message, HasSubstr(where));
  EXPECT_THAT(result.message, HasSubstr("blocked.cpp:"));
  EXPECT_THAT(result.text(), HasSubstr("thread 2 is here"));
}

double seconds_of(const std::function<void()>& work) {
  const auto begin = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Each way to stand still, ended by the time.
void expect_time_holds(const std::function<void()>& blocks, const std::string& where,
                       ExploreOptions options = {}) {
  options.timeout = 200ms;
  Exploration result;
  EXPECT_LT(seconds_of([&] { result = explored(blocks, options); }), kLong);
  expect_cut_off(result, where);
  EXPECT_EQ(result.ended_by, SearchEnd::kTimeout);
}

TEST(Blocked, ReadOfAPipe) {
  const Pipe pipe;
  expect_time_holds([&] { read_for_ever(pipe); }, "in the system call read");
}

TEST(Blocked, Accept) {
  const int listener = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX};  // without a name: the system gives one
  ASSERT_EQ(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(sa_family_t)), 0);
  ASSERT_EQ(listen(listener, 1), 0);
  expect_time_holds([&] { (void)accept(listener, nullptr, nullptr); }, "in the system call accept");
  close(listener);
}

TEST(Blocked, LockOfAFile) {
  char name[] = "/tmp/plumb-blocked-XXXXXX";
  const int mine = mkstemp(name);
  const int other = open(name, O_RDWR);
  ASSERT_EQ(flock(mine, LOCK_EX), 0);
  expect_time_holds([&] { (void)flock(other, LOCK_EX); }, "in the system call flock");
  close(other);
  close(mine);
  unlink(name);
}

TEST(Blocked, SleepThatTheEngineDoesNotSee) {
  const timespec hour{.tv_sec = 3600, .tv_nsec = 0};
  expect_time_holds([&] { (void)syscall(SYS_nanosleep, &hour, nullptr); }, "in the system call nanosleep");
}

TEST(Blocked, ComputesWithoutEnd) {
  expect_time_holds(
      [] {
        for (;;) asm volatile("");
      },
      "it is at blocked.cpp:");
}

TEST(Blocked, InRealThreads) {
  const Pipe pipe;
  ExploreOptions options;
  options.real_threads = true;
  expect_time_holds([&] { read_for_ever(pipe); }, "in the system call read", options);
}

// The first execution, which warms up, ends; one with another order does not.
TEST(Blocked, InALaterExecution) {
  const Pipe pipe;
  const Exploration result = plumb::explore(
      [&](Program& p) {
        std::atomic<int> n{0};
        p.thread([&] { n.store(1); });
        p.thread([&] {
          if (n.load() == 0) read_for_ever(pipe);
        });
        p.run();
      },
      {.timeout = 200ms});
  expect_cut_off(result, "in the system call read");
}

TEST(Blocked, InTheProgramItself) {
  const Pipe pipe;
  const Exploration result = plumb::explore(
      [&](Program& p) {
        p.thread([] {});
        p.run();
        read_for_ever(pipe);
      },
      {.timeout = 200ms});
  EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.text();
  EXPECT_THAT(result.message, HasSubstr("the program itself has not ended"));
}

TEST(Blocked, InWorkers) {
  const Pipe pipe;
  const auto program = [&](Program& p) {
    std::atomic<int> n{0};
    for (int i = 0; i < 3; ++i) p.thread([&] { ++n; });
    p.thread([&] {
      if (n.load() == 2 && n.load() == 3) read_for_ever(pipe);
    });
    p.run();
  };
  Exploration result;
  EXPECT_LT(seconds_of([&] { result = plumb::explore(program, {.timeout = 1s, .jobs = 2}); }), kLong);
  EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.text();
  EXPECT_EQ(result.ended_by, SearchEnd::kTimeout);
  EXPECT_THAT(result.message, HasSubstr("thread 4 has not ended: it is in the system call read"));
}

TEST(Blocked, WhereTheWorkIsSharedOut) {
  const Pipe pipe;
  Exploration result;
  EXPECT_LT(
      seconds_of([&] { result = explored([&] { read_for_ever(pipe); }, {.timeout = 200ms, .jobs = 2}); }),
      kLong);
  EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.text();
  EXPECT_THAT(result.message, HasSubstr("in the system call read"));
}

class Request {
 public:
  explicit Request(double seconds)
      : thread_([this, seconds] {
          std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
          stop = true;
        }) {}
  ~Request() { thread_.join(); }
  std::atomic<bool> stop{false};

 private:
  std::thread thread_;
};

TEST(Blocked, EndsWhenAskedTo) {
  const Pipe pipe;
  for (const unsigned jobs : {1U, 2U}) {
    Request request(0.2);
    Exploration result;
    EXPECT_LT(seconds_of([&] {
                result = explored([&] { read_for_ever(pipe); }, {.stop = &request.stop, .jobs = jobs});
              }),
              kLong);
    EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.text();
    EXPECT_EQ(result.ended_by, SearchEnd::kStopped);
    EXPECT_THAT(result.message, HasSubstr("in the system call read"));
  }
}

TEST(Blocked, IsNotBegunWhereTheEndWasAskedFor) {
  const std::atomic<bool> stop{true};
  bool begun = false;
  const Exploration result = explored([&] { begun = true; }, {.stop = &stop});
  EXPECT_EQ(result.verdict, Outcome::kUnknown);
  EXPECT_FALSE(begun);
}

// A long step is noted, and not disturbed: some system calls would return early by a signal.
TEST(Blocked, NotesALongStep) {
  std::mutex mutex;
  std::string notes;
  int failed = 0;
  ExploreOptions options;
  options.note_after = 200ms;
  options.executions = 1;
  options.note = [&](const std::string& note) {
    const std::scoped_lock lock(mutex);
    notes += note + "\n";
  };
  const Exploration result = explored(
      [&] {
        const timespec second{.tv_sec = 1, .tv_nsec = 0};
        if (syscall(SYS_nanosleep, &second, nullptr) != 0) ++failed;
      },
      options);
  EXPECT_EQ(failed, 0);
  EXPECT_NE(result.verdict, Outcome::kViolation) << result.text();
  const std::scoped_lock lock(mutex);
  EXPECT_THAT(notes, HasSubstr("thread 2 has taken no step for"));
  EXPECT_THAT(notes, HasSubstr("it is in the system call nanosleep; its last step was at blocked.cpp:"));
}

TEST(Blocked, NotesNothingWhereStepsAreTaken) {
  std::atomic<int> notes{0};
  ExploreOptions options;
  options.note_after = 1s;
  options.note = [&](const std::string&) { ++notes; };
  const timespec moment{.tv_sec = 0, .tv_nsec = 100'000'000};
  (void)plumb::explore(
      [&](Program& p) {
        std::atomic<int> n{0};
        p.thread([&] {
          for (int i = 0; i < 12; ++i) {
            ++n;
            (void)syscall(SYS_nanosleep, &moment, nullptr);
          }
        });
        p.run();
      },
      options);
  EXPECT_EQ(notes, 0);
}

// Nothing gets through to it: the process is ended, and says so.
TEST(BlockedDeathTest, WhereSignalsAreBlocked) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  const Pipe pipe;
  EXPECT_EXIT(explored(
                  [&] {
                    sigset_t all;
                    sigfillset(&all);
                    sigprocmask(SIG_SETMASK, &all, nullptr);
                    read_for_ever(pipe);
                  },
                  {.timeout = 200ms}),
              testing::ExitedWithCode(3),
              "thread 2 has taken no step.*in the system call read.*cannot be interrupted");
}

}  // namespace
