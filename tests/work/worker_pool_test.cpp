// Handing out work: every item is answered once, whoever dies, is lost or is no longer wanted.
#include "work/worker_pool.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "work/forked_worker.hpp"
#include "work/frames.hpp"

namespace plumb::work {
namespace {

using ::testing::ElementsAre;

std::string echo(const std::string& request) { return "did " + request; }

struct Told {
  std::map<std::size_t, std::string> answers;
  std::map<std::size_t, int> died;
  std::vector<std::string> lost;
};

std::vector<std::unique_ptr<Worker>> forked(std::size_t count, const Work& work) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back(std::make_unique<ForkedWorker>(work));
  return workers;
}

Told run(WorkerPool& pool, std::size_t count, std::size_t wanted = ~std::size_t{0}) {
  Told told;
  pool.run(
      count, [](std::size_t item) { return std::to_string(item); },
      [&](WorkDone done) {
        EXPECT_FALSE(told.answers.contains(done.item));
        told.answers[done.item] = done.answer;
        if (done.died) told.died[done.item] = *done.died;
        return wanted;
      });
  return told;
}

// What has to wait is asked for again when something else has ended; whoever hands out is told how many have nothing to do.
TEST(WorkerPool, WaitsForWhatOthersAreAt) {
  std::vector<std::size_t> idle;
  WorkerPool pool(forked(2, echo), {.idle = [&](std::size_t workers) { idle.push_back(workers); }});
  bool is_done = false;
  std::vector<std::size_t> done;
  pool.run(
      2,
      [&](std::size_t item) -> std::optional<std::string> {
        if (item == 1 && !is_done) return std::nullopt;
        return std::to_string(item);
      },
      [&](const WorkDone& each) {
        is_done = true;
        done.push_back(each.item);
        return ~std::size_t{0};
      });
  EXPECT_THAT(done, ElementsAre(0, 1));
  EXPECT_THAT(idle, ElementsAre(1, 2));
}

// Answers nothing: gone when it is asked the second time.
class LeavingWorker final : public Worker {
 public:
  LeavingWorker() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  ~LeavingWorker() override {
    close(ends_[0]);
    if (ends_[1] >= 0) close(ends_[1]);
  }
  bool give(const std::string&) override {
    close(ends_[1]);
    ends_[1] = -1;
    return true;
  }
  [[nodiscard]] int file() const override { return ends_[0]; }
  State take(Answer&) override { return State::kLost; }
  void drop() override {}
  [[nodiscard]] std::string name() const override { return "the one that leaves"; }

 private:
  int ends_[2] = {-1, -1};
};

TEST(WorkerPool, EveryItemIsAnsweredOnce) {
  WorkerPool pool = local_pool(3, echo);
  for (int again = 0; again < 2; ++again) {  // the same processes
    const Told told = run(pool, 50);
    ASSERT_EQ(told.answers.size(), 50U);
    EXPECT_EQ(told.answers.at(17), "did 17");
    EXPECT_TRUE(told.died.empty());
  }
}

TEST(WorkerPool, ADeathIsTheAnswer) {
  WorkerPool pool = local_pool(2, [](const std::string& request) {
    if (request == "3") std::raise(SIGKILL);
    if (request == "5") _exit(4);
    return request;
  });
  const Told told = run(pool, 8);
  EXPECT_EQ(told.answers.size(), 8U);
  EXPECT_EQ(told.died, (std::map<std::size_t, int>{{3, SIGKILL}, {5, -4}}));
  EXPECT_EQ(told.answers.at(7), "7");
}

// Those that are at work when it is over may answer for a while; nothing more is begun, and who says
// nothing is not waited for.
TEST(WorkerPool, AnEndIsNotWaitedForForEver) {
  bool over = false;
  WorkerPool pool = local_pool(
      2,
      [](const std::string& request) {
        if (request == "1") pause();
        return request;
      },
      {.over = [&]() -> std::optional<double> { return over ? std::optional(0.2) : std::nullopt; }});
  std::vector<std::size_t> answered;
  pool.run(
      100, [](std::size_t item) { return std::to_string(item); },
      [&](const WorkDone& done) {
        answered.push_back(done.item);
        over = answered.size() == 3;
        return 100;
      });
  EXPECT_THAT(answered, ElementsAre(0, 2, 3));
}

TEST(WorkerPool, WhatDiesOnceMayBeTriedAgain) {
  const std::string marker = testing::TempDir() + "plumb-pool-" + std::to_string(getpid());
  WorkerPool pool(forked(2,
                         [&](const std::string& request) {
                           if (request == "2" && access(marker.c_str(), F_OK) != 0) {
                             if (FILE* file = std::fopen(marker.c_str(), "w")) std::fclose(file);
                             std::raise(SIGKILL);
                           }
                           if (request == "4") std::raise(SIGKILL);
                           return request;
                         }),
                  {.tries = 2});
  const Told told = run(pool, 6);
  unlink(marker.c_str());
  EXPECT_EQ(told.answers.size(), 6U);
  EXPECT_EQ(told.answers.at(2), "2");
  EXPECT_EQ(told.died, (std::map<std::size_t, int>{{4, SIGKILL}}));
}

TEST(WorkerPool, WhatALostWorkerHadIsDoneByAnother) {
  auto workers = forked(1, echo);
  workers.insert(workers.begin(), std::make_unique<LeavingWorker>());
  std::vector<std::string> lost;
  WorkerPool pool(std::move(workers), {.lost = [&](const std::string& name) { lost.push_back(name); }});
  const Told told = run(pool, 4);
  EXPECT_EQ(told.answers.size(), 4U);
  EXPECT_EQ(told.answers.at(0), "did 0");
  EXPECT_THAT(lost, ElementsAre("the one that leaves"));
}

TEST(WorkerPool, WithoutAWorkerNothingIsAnswered) {
  std::vector<std::unique_ptr<Worker>> workers;
  workers.push_back(std::make_unique<LeavingWorker>());
  WorkerPool pool(std::move(workers), {});
  EXPECT_TRUE(run(pool, 4).answers.empty());
}

TEST(WorkerPool, WhatIsNoLongerWantedIsNotWaitedFor) {
  WorkerPool pool(forked(2,
                         [](const std::string& request) {
                           if (request != "0") pause();
                           return request;
                         }),
                  {.drops = true});
  const Told told = run(pool, 10, 1);
  EXPECT_EQ(told.answers, (std::map<std::size_t, std::string>{{0, "0"}}));
  EXPECT_EQ(run(pool, 1).answers.size(), 1U);  // and the workers can be used again
}

TEST(WorkerPool, WhoStopsWaitsForNothing) {
  std::atomic<bool> stop = false;
  WorkerPool pool(forked(2,
                         [](const std::string& request) {
                           if (request != "0") pause();
                           return request;
                         }),
                  {.stop = &stop});
  std::size_t answered = 0;
  pool.run(
      3, [](std::size_t item) { return std::to_string(item); },
      [&](const WorkDone&) {
        ++answered;
        stop = true;
        return std::size_t{3};
      });
  EXPECT_EQ(answered, 1U);
}

// Between two runs: nothing is written to a process that is gone.
TEST(WorkerPool, AnIdleProcessThatDiesIsReplaced) {
  WorkerPool pool(forked(1, [](const std::string&) { return std::to_string(getpid()); }), {.tries = 2});
  const Told first = run(pool, 1);
  const pid_t process = std::stoi(first.answers.at(0));
  kill(process, SIGKILL);
  const Told second = run(pool, 1);
  EXPECT_TRUE(second.died.empty());
  EXPECT_NE(second.answers.at(0), first.answers.at(0));
}

TEST(Frames, ComeInPieces) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const std::string message(3000, 'x');
  ASSERT_TRUE(send_frame(ends[1], message));
  ASSERT_TRUE(send_frame(ends[1], ""));
  close(ends[1]);
  FrameReader reader(ends[0]);
  std::string got;
  EXPECT_EQ(reader.read(got), FrameReader::State::kMore);  // the size
  EXPECT_EQ(reader.read(got), FrameReader::State::kWhole);
  EXPECT_EQ(got, message);
  EXPECT_TRUE(receive_frame(reader, got));
  EXPECT_EQ(got, "");
  EXPECT_FALSE(receive_frame(reader, got));
  close(ends[0]);
}

}  // namespace
}  // namespace plumb::work
