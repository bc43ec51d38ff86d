// Handing out work: every item is answered once, whoever dies, is lost or is no longer wanted.
#include "work/hands.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <csignal>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "work/forked_seat.hpp"
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

std::vector<std::unique_ptr<Seat>> forked(std::size_t count, const Work& work) {
  std::vector<std::unique_ptr<Seat>> seats;
  for (std::size_t i = 0; i < count; ++i) seats.push_back(std::make_unique<ForkedSeat>(work));
  return seats;
}

Told run(Hands& hands, std::size_t count, std::size_t wanted = ~std::size_t{0}) {
  Told told;
  hands.run(
      count, [](std::size_t item) { return std::to_string(item); },
      [&](WorkDone done) {
        EXPECT_FALSE(told.answers.contains(done.item));
        told.answers[done.item] = done.answer;
        if (done.died) told.died[done.item] = *done.died;
        return wanted;
      });
  return told;
}

// Answers nothing: gone when it is asked the second time.
class LeavingSeat final : public Seat {
 public:
  LeavingSeat() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends_), 0); }
  ~LeavingSeat() override {
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

TEST(Hands, EveryItemIsAnsweredOnce) {
  Hands hands = processes_here(3, echo);
  for (int again = 0; again < 2; ++again) {  // the same processes
    const Told told = run(hands, 50);
    ASSERT_EQ(told.answers.size(), 50U);
    EXPECT_EQ(told.answers.at(17), "did 17");
    EXPECT_TRUE(told.died.empty());
  }
}

TEST(Hands, ADeathIsTheAnswer) {
  Hands hands = processes_here(2, [](const std::string& request) {
    if (request == "3") std::raise(SIGKILL);
    if (request == "5") _exit(4);
    return request;
  });
  const Told told = run(hands, 8);
  EXPECT_EQ(told.answers.size(), 8U);
  EXPECT_EQ(told.died, (std::map<std::size_t, int>{{3, SIGKILL}, {5, -4}}));
  EXPECT_EQ(told.answers.at(7), "7");
}

// Those that are at work when it is over may answer for a while; nothing more is begun, and who says
// nothing is not waited for.
TEST(Hands, AnEndIsNotWaitedForForEver) {
  bool over = false;
  Hands hands = processes_here(
      2,
      [](const std::string& request) {
        if (request == "1") pause();
        return request;
      },
      {.over = [&]() -> std::optional<double> { return over ? std::optional(0.2) : std::nullopt; }});
  std::vector<std::size_t> answered;
  hands.run(
      100, [](std::size_t item) { return std::to_string(item); },
      [&](const WorkDone& done) {
        answered.push_back(done.item);
        over = answered.size() == 3;
        return 100;
      });
  EXPECT_THAT(answered, ElementsAre(0, 2, 3));
}

TEST(Hands, WhatDiesOnceMayBeTriedAgain) {
  const std::string marker = testing::TempDir() + "plumb-hands-" + std::to_string(getpid());
  Hands hands(forked(2,
                     [&](const std::string& request) {
                       if (request == "2" && access(marker.c_str(), F_OK) != 0) {
                         if (FILE* file = std::fopen(marker.c_str(), "w")) std::fclose(file);
                         std::raise(SIGKILL);
                       }
                       if (request == "4") std::raise(SIGKILL);
                       return request;
                     }),
              {.tries = 2});
  const Told told = run(hands, 6);
  unlink(marker.c_str());
  EXPECT_EQ(told.answers.size(), 6U);
  EXPECT_EQ(told.answers.at(2), "2");
  EXPECT_EQ(told.died, (std::map<std::size_t, int>{{4, SIGKILL}}));
}

TEST(Hands, WhatALostSeatHadIsDoneByAnother) {
  auto seats = forked(1, echo);
  seats.insert(seats.begin(), std::make_unique<LeavingSeat>());
  std::vector<std::string> lost;
  Hands hands(std::move(seats), {.lost = [&](const std::string& name) { lost.push_back(name); }});
  const Told told = run(hands, 4);
  EXPECT_EQ(told.answers.size(), 4U);
  EXPECT_EQ(told.answers.at(0), "did 0");
  EXPECT_THAT(lost, ElementsAre("the one that leaves"));
}

TEST(Hands, WithoutASeatNothingIsAnswered) {
  std::vector<std::unique_ptr<Seat>> seats;
  seats.push_back(std::make_unique<LeavingSeat>());
  Hands hands(std::move(seats), {});
  EXPECT_TRUE(run(hands, 4).answers.empty());
}

TEST(Hands, WhatIsNoLongerWantedIsNotWaitedFor) {
  Hands hands(forked(2,
                     [](const std::string& request) {
                       if (request != "0") pause();
                       return request;
                     }),
              {.drops = true});
  const Told told = run(hands, 10, 1);
  EXPECT_EQ(told.answers, (std::map<std::size_t, std::string>{{0, "0"}}));
  EXPECT_EQ(run(hands, 1).answers.size(), 1U);  // and the seats can be used again
}

TEST(Hands, WhoStopsWaitsForNothing) {
  std::atomic<bool> stop = false;
  Hands hands(forked(2,
                     [](const std::string& request) {
                       if (request != "0") pause();
                       return request;
                     }),
              {.stop = &stop});
  std::size_t answered = 0;
  hands.run(
      3, [](std::size_t item) { return std::to_string(item); },
      [&](const WorkDone&) {
        ++answered;
        stop = true;
        return std::size_t{3};
      });
  EXPECT_EQ(answered, 1U);
}

// Between two runs: nothing is written to a process that is gone.
TEST(Hands, AnIdleProcessThatDiesIsReplaced) {
  Hands hands(forked(1, [](const std::string&) { return std::to_string(getpid()); }), {.tries = 2});
  const Told first = run(hands, 1);
  const pid_t process = std::stoi(first.answers.at(0));
  kill(process, SIGKILL);
  const Told second = run(hands, 1);
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

TEST(Frames, OneThatIsTooLongIsNotTaken) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_TRUE(send_frame(ends[1], "four"));
  FrameReader reader(ends[0], 3);
  std::string got;
  EXPECT_FALSE(receive_frame(reader, got));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace plumb::work
