// How an execution ends with a finding.
#include <fmt/format.h>

#include "explore/debug_info.hpp"
#include "explore/execution.hpp"
#include "explore/leaks.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::EngineScope;
using runtime::Step;

namespace {

// "thread 1 reaches store (counter.cpp:12)"
std::string logged_step_text(const LoggedStep& logged) {
  if (logged.ended) return fmt::format("thread {} ends", logged.thread);
  const auto called = reinterpret_cast<std::uintptr_t>(logged.pc) - 1;
  const auto places = DebugInfo::instance().places({{.pc = called}}, nullptr);
  std::string text = fmt::format("thread {} reaches {}", logged.thread, runtime::kind_name(logged.kind));
  if (places.empty()) return text;
  const std::string& file = places.front().file;
  return text + fmt::format(" ({}:{})", file.substr(file.rfind('/') + 1), places.front().line);
}

std::string_view what_it_waits_at(const Step& step, int thread) {
  if (step.kind != runtime::StepKind::kWake) return runtime::kind_name(step.kind);
  return runtime::kind_name(runtime::waits(thread) ? runtime::StepKind::kWait : runtime::StepKind::kLock);
}

// std::atomic<std::shared_ptr>::load() of libstdc++ gives its lock bit back without memory_order_release, so that its plain read
// and the next store's plain write race as C++ has it, whatever the program does. On purpose, and no fault of the program.
// The functions for plain shared pointers (std::atomic_load) are in the same header, and have no such race.
bool races_in_library(const void* pc) {
  return pc != nullptr && DebugInfo::instance().is_within(pc, "_Sp_atomic");
}

}  // namespace

Finding Execution::difference() const {
  const Difference difference = step_log_.difference();
  std::string message = "the test is not deterministic: with the same choices, ";
  if (difference.found) {
    message += fmt::format("in step {} {}; before, {}", difference.number, logged_step_text(difference.now),
                           logged_step_text(difference.before));
  } else {
    message += fmt::format("the same {} steps led to another choice, or to none", steps_);
  }
  return {.found = true,
          .kind = FindingKind::kNondeterministic,
          .message = message,
          .thread = difference.now.thread,
          .difference = difference};
}

void Execution::report_race(const Race& race, const void* address, std::size_t size, bool write,
                            const void* pc) {
  if (races_in_library(pc) || races_in_library(race.other_pc)) return races_.forget(address, size);
  fail({.kind = FindingKind::kRace,
        .message = fmt::format(
            "data race: thread {} {} what thread {} {}, and neither happens before the other", current_,
            write ? "writes" : "reads", race.other, race.other_write ? "wrote" : "read"),
        .pc = pc,
        .address = address,
        .size = size,
        .race = race});
}

void Execution::report_deadlock() {
  if (limits_.accepts_deadlock) {
    end_ = End::kDeadlock;
    fibers_.leave(current_);
  }
  std::string text = "no thread is enabled:";
  for (int i = 0; i < count_; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    if (thread.state != State::kBegun) continue;
    const Step& step = *next_[static_cast<std::size_t>(i)];
    if (step.operand == reinterpret_cast<std::uint64_t>(this))
      continue;  // the program itself, which waits for its threads
    text += fmt::format(" thread {} {} {};", i, (spinning_ & bit(i)) != 0 ? "spins at" : "waits at",
                        what_it_waits_at(step, i));
  }
  text.pop_back();
  fail(FindingKind::kDeadlock, text, nullptr);
}

// Those that are left change something in each round, and nothing comes of it.
void Execution::report_livelock() {
  std::string threads;
  for (ThreadSet left = spinning_; left != 0; left &= left - 1)
    threads += fmt::format("{}{}", threads.empty() ? "" : " and ", lowest(left));
  const bool one = (spinning_ & (spinning_ - 1)) == 0;
  fail(FindingKind::kLivelock,
       fmt::format("no end after {} steps: thread{} {} {} round and round, and nothing comes of it", steps_,
                   one ? "" : "s", threads, one ? "goes" : "go"),
       next_[static_cast<std::size_t>(lowest(taking_turns_))]->pc);
}

void Execution::fail(FindingKind kind, std::string_view message, const void* pc, const void* address) {
  const EngineScope in_engine;
  fail({.kind = kind, .message = std::string(message), .pc = pc, .address = address, .size = 1});
}

void Execution::report_refusal(std::string_view message, const void* pc) {
  const EngineScope in_engine;
  fail({.kind = FindingKind::kMisuse, .refused = true, .message = std::string(message), .pc = pc, .size = 1});
}

void Execution::fail(Finding finding) {
  const EngineScope in_engine;
  finding_ = std::move(finding);
  finding_.found = true;
  finding_.thread = current_;
  end_ = End::kFinding;
  if (recorder_ != nullptr) recorder_->failed(current_);
  fibers_.leave(current_);
}

void Execution::check_leaks() {
  const std::vector<const void*> lost = unreachable_blocks(arena_);
  if (lost.empty()) return;
  finding_ = {.found = true,
              .kind = FindingKind::kLeak,
              .message = fmt::format("{} {} of memory {} lost at the end", lost.size(),
                                     lost.size() == 1 ? "block" : "blocks", lost.size() == 1 ? "is" : "are"),
              .address = lost.front(),
              .size = 1};
  end_ = End::kFinding;
}

void Execution::report_observer_finding(std::string message) {
  finding_ = {.found = true, .kind = FindingKind::kCheck, .message = std::move(message), .judged = true};
  end_ = End::kFinding;
}

}  // namespace plumb::engine
