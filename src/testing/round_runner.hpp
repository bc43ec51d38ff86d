// The threads of a stress run. They live as long as the runner, and run one round after another, all of it at once: who has come first
// waits at the start for the others.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "testing/stress_thread.hpp"

namespace plumb::testing {

// One round: many operations on one object, or a scenario on each of many.
struct Round {
  std::uint64_t number = 0;
  const Scenario* scenario = nullptr;
  std::vector<std::unique_ptr<test::Object>> objects;
  std::size_t operations = 0;  // of a thread, where there is no scenario
  std::uint64_t seed = 0;
  std::uint32_t pauses = 0;
};

class RoundRunner {
 public:
  RoundRunner(const TestCase& test, const Workload& workload, bool pin);
  ~RoundRunner();  // not while a round runs
  RoundRunner(const RoundRunner&) = delete;
  RoundRunner& operator=(const RoundRunner&) = delete;

  // How a round went. Unless it ended its threads still run, forever perhaps, and so must all that they use.
  enum class End : std::uint8_t {
    kEnded,
    kStuck,    // no operation has ended for so many seconds,
    kStopped,  // or for a moment, and it was over,
    kBusy,     // or operations went on to end for some moments after that: what is recorded cannot be read
  };
  // `over` is asked now and then: is it time to end?
  [[nodiscard]] End run(Round& round, const Recording* recording, Seconds stuck,
                        const std::function<bool()>& over);

 private:
  void work(std::size_t number);
  void take_part(std::size_t number);
  End wait_for_end(std::unique_lock<std::mutex>& lock, Seconds stuck, const std::function<bool()>& over);
  void wait_for_others(std::size_t number, std::size_t object);

  struct alignas(64) Position {
    std::atomic<std::size_t> object{0};  // that it is at, counted over all rounds
  };

  const TestCase& test_;
  std::vector<std::unique_ptr<StressThread>> callers_;  // the last one is that of the caller of `run`
  std::vector<Position> positions_;
  Round* round_ = nullptr;
  const Recording* recording_ = nullptr;
  std::mutex mutex_;
  std::condition_variable begins_;
  std::condition_variable ends_;
  std::uint64_t begun_ = 0;  // rounds
  std::size_t busy_ = 0;     // threads
  std::atomic<std::size_t> here_{0};
  std::size_t passed_ = 0;  // objects of the rounds before
  bool over_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace plumb::testing
