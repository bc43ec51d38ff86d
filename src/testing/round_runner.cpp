#include "testing/round_runner.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/jobs.hpp"
#include "runtime/end_of_process.hpp"
#include "runtime/pause.hpp"

namespace plumb::testing {
namespace {

constexpr std::size_t kLooks = 200;  // at where the others are, before going on without them

void pin_to(std::thread& thread, std::size_t core) {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  CPU_SET(core, &cores);
  pthread_setaffinity_np(thread.native_handle(), sizeof cores, &cores);
}

}  // namespace

RoundRunner::RoundRunner(const TestCase& test, const Workload& workload, bool pin)
    : test_(test), positions_(workload.threads) {
  for (std::size_t i = 0; i <= workload.threads; ++i)
    callers_.push_back(std::make_unique<StressThread>(test, workload, i));
  for (std::size_t i = 0; i < workload.threads; ++i) {
    threads_.emplace_back([this, i] { work(i); });
    if (pin) pin_to(threads_.back(), i % std::max(1U, cores() - 1));
  }
}

RoundRunner::~RoundRunner() {
  {
    const std::scoped_lock lock(mutex_);
    over_ = true;
  }
  begins_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

RoundRunner::End RoundRunner::run(Round& round, const Recording* recording, Seconds stuck,
                                  const std::function<bool()>& over) {
  StressThread& serial = *callers_.back();
  const runtime::RunsUnderTest serial_calls([&] { return serial.operation() + "()"; });
  const auto serially = [&](const std::vector<std::size_t>& calls) {
    const std::vector<InvocationId> invocations(calls.begin(), calls.end());
    for (const auto& object : round.objects) serial.run(*object, invocations);
  };
  serial.begin_round(recording, round.seed);
  serially(test_.invocations_before());
  std::unique_lock lock(mutex_);
  round_ = &round;
  recording_ = recording;
  here_ = 0;
  busy_ = threads_.size();
  ++begun_;
  begins_.notify_all();
  if (const End end = wait_for_end(lock, stuck, over); end != End::kEnded) return end;
  passed_ += round.objects.size();
  lock.unlock();
  serially(test_.invocations_after());
  return End::kEnded;
}

RoundRunner::End RoundRunner::wait_for_end(std::unique_lock<std::mutex>& lock, Seconds stuck,
                                           const std::function<bool()>& over) {
  const auto done = [&] {
    std::uint64_t sum = 0;
    for (const auto& caller : callers_) sum += caller->done();
    return sum;
  };
  using Clock = std::chrono::steady_clock;
  constexpr auto kLook = std::chrono::milliseconds(50);
  constexpr Seconds kMoment{0.5};
  constexpr Seconds kMoments{2};
  std::uint64_t before = done();
  auto last = Clock::now();  // when an operation was seen to have ended
  std::optional<Clock::time_point> asked;
  while (!ends_.wait_for(lock, kLook, [&] { return busy_ == 0; })) {
    const auto now = Clock::now();
    if (const std::uint64_t sum = done(); sum != before) {
      before = sum;
      last = now;
    }
    if (now - last > stuck) return End::kStuck;
    if (!asked && over()) asked = now;
    if (asked && now - last > kMoment && now - *asked > kMoment) return End::kStopped;
    if (asked && now - *asked > kMoments) return End::kBusy;
  }
  return End::kEnded;
}

void RoundRunner::work(std::size_t number) {
  std::uint64_t done = 0;
  for (;;) {
    std::unique_lock lock(mutex_);
    begins_.wait(lock, [&] { return over_ || begun_ > done; });
    if (over_) return;
    done = begun_;
    lock.unlock();
    take_part(number);
    lock.lock();
    if (--busy_ == 0) ends_.notify_all();
  }
}

void RoundRunner::take_part(std::size_t number) {
  StressThread& caller = *callers_[number];
  const std::uint64_t seed = round_->seed + (number + 1) * 0x9E37'79B9'7F4A'7C15ULL;
  caller.begin_round(recording_, seed);
  here_.fetch_add(1);
  while (here_.load() < threads_.size()) std::this_thread::yield();
  const runtime::RunsUnderTest calls([&] { return caller.operation() + "()"; });
  runtime::set_pauses(round_->pauses, seed);
  if (round_->scenario == nullptr) {
    for (const auto& object : round_->objects) caller.run(*object, round_->operations);
  } else if (number < round_->scenario->threads.size()) {
    for (std::size_t i = 0; i < round_->objects.size(); ++i) {
      wait_for_others(number, passed_ + i);
      caller.run(*round_->objects[i], round_->scenario->threads[number]);
    }
  }
  runtime::set_pauses(0, 0);
}

// Not for long: where there are more threads than cores, they never meet all.
void RoundRunner::wait_for_others(std::size_t number, std::size_t object) {
  positions_[number].object.store(object, std::memory_order_relaxed);
  const auto behind = [&](std::size_t i) {
    return positions_[i].object.load(std::memory_order_relaxed) < object;
  };
  for (std::size_t look = 0; look < kLooks; ++look) {
    std::size_t i = 0;
    while (i < round_->scenario->threads.size() && !behind(i)) ++i;
    if (i == round_->scenario->threads.size()) return;
    if (look % 50 == 49) std::this_thread::yield();
  }
}

}  // namespace plumb::testing
