#include "explore/program_runner.hpp"

#include <fmt/format.h>

#include "explore/graph/graph_execution.hpp"
#include "explore/survey.hpp"
#include "explore/unwatched.hpp"

namespace plumb {

using engine::Execution;

ProgramRunner* ProgramRunner::current_ = nullptr;

ProgramRunner::ProgramRunner(const std::function<void(Program&)>& program, const engine::Limits& limits,
                             bool surveys, MemoryModel model)
    : program_(program), surveys_(surveys), memory_model_(model) {
  const auto run_body = [this] { body(); };
  if (model == MemoryModel::kSequential) {
    execution_ = std::make_unique<Execution>(run_body, limits);
  } else {
    execution_ = std::make_unique<engine::GraphExecution>(run_body, limits);
  }
  host_ = execution_.get();
  current_ = this;
}

engine::GraphExecution& ProgramRunner::graph_execution() {
  return static_cast<engine::GraphExecution&>(*execution_);
}

void ProgramRunner::observe(const std::string& outcome) {
  const runtime::EngineScope in_engine;
  if (host_ != execution_.get()) host_->refuse("outcomes are those of executions, not of states", nullptr);
  if (execution_->unfinished() > 1) execution_->refuse("an outcome is observed while threads run", nullptr);
  if (observed_) execution_->refuse("two outcomes are observed in one execution", nullptr);
  observed_ = outcome;  // a copy outside of the program's memory
}

void ProgramRunner::body() {
  {
    const runtime::EngineScope in_engine;
    names_.clear();
    observed_.reset();
  }
  Program program;
  program_(program);
  if (program.named_ == 0) return;
  host_->refuse("threads were named after the last run() or check(): they would never run", nullptr);
}

Execution::End ProgramRunner::run_beside(engine::Strategy& strategy, const engine::Observer* observer,
                                         std::vector<UnwatchedWrite>& unwatched) {
  const std::uint64_t before = execution_->steps();
  engine::Survey survey;
  if (surveys_) execution_->survey(&survey);
  const Execution::End end = execution_->run(strategy);
  execution_->survey(nullptr);
  engine::add_unwatched(survey, names_, observer, unwatched);
  steps_beside_ += execution_->steps() - before;
  return end;
}

Execution::End ProgramRunner::run_serially(std::vector<int> threads) {
  if (!set_aside_) set_aside_ = execution_->schedule();
  const std::uint64_t before = execution_->steps();
  const auto strategy = engine::serial_order(std::move(threads));
  const Execution::End end = execution_->run_serially(*strategy);
  interrupted_ |= end == Execution::End::kInterrupted;
  steps_beside_ += execution_->steps() - before;
  return end;
}

bool ProgramRunner::run_again() {
  if (!set_aside_) return true;
  const std::uint64_t before = execution_->steps();
  const auto strategy = engine::replay(*set_aside_);
  set_aside_.reset();
  const Execution::End end = execution_->run(*strategy);
  steps_beside_ += execution_->steps() - before;
  return end != Execution::End::kInterrupted;
}

void Program::thread(std::function<void()> steps) {
  static_assert(kMostThreads == runtime::kMaxThreads - 1);
  if (named_ == kMostThreads) too_many();
  threads_[named_++] = std::move(steps);
}

void Program::too_many() {
  ProgramRunner::current().host().refuse(fmt::format("more than {} threads", kMostThreads), nullptr);
}

void Program::run() { run_below(__builtin_frame_address(0)); }

void Program::run_below(const void* frame) {
  engine::Host& host = ProgramRunner::current().host();
  for (std::size_t i = 0; i < named_; ++i) {
    auto* entry = +[](void* steps) -> void* {
      (*static_cast<std::function<void()>*>(steps))();
      return nullptr;
    };
    if (host.start(entry, &threads_[i], 0) < 0) too_many();
  }
  host.wait_for_all(frame);
  while (named_ > 0) threads_[--named_] = nullptr;
}

void Program::check(const std::function<bool()>& holds) {
  run_below(__builtin_frame_address(0));
  if (!holds())
    ProgramRunner::current().host().fail(FindingKind::kCheck, "the check does not hold",
                                         __builtin_return_address(0));
}

void Program::require(bool holds, const std::string& what) {
  if (!holds) ProgramRunner::current().host().fail(FindingKind::kCheck, what, __builtin_return_address(0));
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): the interface takes a value, which lies in the program's memory
void Program::observe(std::string outcome) { ProgramRunner::current().observe(outcome); }

void Program::name(const void* address, const std::string& name, std::size_t size, const void* type_tag) {
  const runtime::EngineScope in_engine;
  ProgramRunner::current().names().push_back(
      {static_cast<const char*>(address), size, std::string(name), type_tag});
}

}  // namespace plumb
