// One thread of a stress run: chooses operations, has the object perform them, and records each.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "plumb/detail/test_case.hpp"
#include "plumb/record.hpp"
#include "testing/scenario.hpp"
#include "testing/workload.hpp"

namespace plumb::testing {

// Where a round is recorded.
struct Recording {
  std::unique_ptr<Recorder> recorder;
  std::vector<ThreadLog*>
      logs;  // of the threads, and behind them of the one that runs what is before and after
  std::vector<RecordedFunction> functions;  // by operation
};

class StressThread final : public test::Caller {
 public:
  StressThread(const TestCase& test, const Workload& workload, std::size_t number);

  // Without a recording nothing is recorded: to measure what recording costs.
  void begin_round(const Recording* recording, std::uint64_t seed);
  void run(test::Object& object, std::size_t operations);
  void run(test::Object& object, std::span<const InvocationId> invocations);

  [[nodiscard]] const std::string& operation() const {
    return test_.operations()[operation_].name;
  }  // the last
  [[nodiscard]] std::uint64_t done() const {
    return done_.load(std::memory_order_relaxed);
  }  // operations, ever

  [[nodiscard]] Source source(std::size_t argument) const override {
    return workload_.sources[operation_][argument];
  }
  [[nodiscard]] std::size_t below(std::size_t bound) override { return random_.below(bound); }
  [[nodiscard]] std::int64_t fresh() override;
  [[nodiscard]] std::int64_t seen() const override { return seen_; }
  [[nodiscard]] Values& values() override { return values_; }
  void call(std::span<const Value> args) override;
  void returned() override {
    if (log_ != nullptr) stamp_ = log_->stamp();
  }
  void result(Value result) override;

 private:
  void call(std::span<const Value> args, const Values& values);

  const TestCase& test_;
  const Workload& workload_;
  std::size_t number_;  // that behind the last thread's: the one that runs what is before and after
  Rng random_{0};
  Values values_;
  ThreadLog* log_ = nullptr;
  std::span<const RecordedFunction> functions_;
  std::uint32_t operation_ = 0;
  std::uint64_t stamp_ = 0;
  std::int64_t count_ = 0;
  std::int64_t seen_ = 0;
  std::atomic<std::uint64_t> done_{0};  // that others look at
};

}  // namespace plumb::testing
