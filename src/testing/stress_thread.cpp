#include "testing/stress_thread.hpp"

#include <string>

#include "runtime/pause.hpp"

namespace plumb::testing {
namespace {

// What is no small value goes as JSON, which `text` holds.
LogValue to_log(Value value, const Values& values, std::string& text) {
  if (LogValue::can_be(value)) return LogValue::of(value);
  text = values.to_json(value);
  return LogValue::json(text);
}

}  // namespace

StressThread::StressThread(const TestCase& test, const Workload& workload, std::size_t number)
    : test_(test), workload_(workload), number_(number) {}

void StressThread::begin_round(const Recording* recording, std::uint64_t seed) {
  random_ = Rng(seed);
  values_ = Values();
  log_ = recording != nullptr ? recording->logs[number_] : nullptr;
  if (recording != nullptr) functions_ = recording->functions;
  count_ = 0;
  seen_ = 0;
}

void StressThread::run(test::Object& object, std::size_t operations) {
  const std::vector<std::uint32_t>& choices = workload_.choices[number_];
  if (choices.empty()) return;
  for (std::size_t i = 0; i < operations; ++i) {
    operation_ = choices[random_.below(choices.size())];
    object.perform(operation_, *this);
    runtime::maybe_pause();
  }
}

void StressThread::run(test::Object& object, std::span<const InvocationId> invocations) {
  for (const InvocationId invocation : invocations) {
    const test::Invocation& called = test_.invocations()[invocation];
    operation_ = static_cast<std::uint32_t>(called.operation);
    call(called.args, test_.values());
    const Value value = object.run(invocation, values_);
    returned();
    result(value);
    runtime::maybe_pause();
  }
}

// In steps of the number of threads, so that no two have the same; multiplied by an odd number they stay distinct.
std::int64_t StressThread::fresh() {
  constexpr std::uint64_t kOdd = 0x2545'F491;
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 30U) - 1;
  std::uint64_t made = static_cast<std::uint64_t>(count_++) * (workload_.threads + 1) + number_ + 1;
  if (workload_.scattered) made = made * kOdd & kMask;
  seen_ = static_cast<std::int64_t>(made);
  return seen_;
}

void StressThread::call(std::span<const Value> args) { call(args, values_); }

void StressThread::call(std::span<const Value> args, const Values& values) {
  if (log_ == nullptr) return;
  const RecordedFunction function = functions_[operation_];
  if (args.empty()) return log_->call(function);
  if (args.size() == 1 && LogValue::can_be(args[0])) return log_->call(function, LogValue::of(args[0]));
  std::vector<std::string> texts(args.size());
  std::vector<LogValue> all;
  for (std::size_t i = 0; i < args.size(); ++i) all.push_back(to_log(args[i], values, texts[i]));
  log_->call_with(function, all);
}

void StressThread::result(Value result) {
  done_.store(done() + 1, std::memory_order_relaxed);
  if (result.is_small()) seen_ = result.small_integer();
  if (log_ == nullptr) return;
  if (test_.operations()[operation_].returns_nothing && result.is_null()) return log_->ret_at(stamp_);
  if (LogValue::can_be(result)) return log_->ret_at(stamp_, LogValue::of(result));
  std::string text;
  log_->ret_at(stamp_, to_log(result, values_, text));
}

}  // namespace plumb::testing
