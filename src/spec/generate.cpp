// Generating a history: processes call, take effect and return in random order. Time is the number of the
// event.
//
// A running operation is advanced twice: it takes effect, then it returns. A lost one never returns, and its
// effect may come late or never.
#include <plumb/generate.hpp>

#include <cassert>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/rng.hpp"
#include "spec/workload.hpp"

namespace plumb {
namespace {

class Simulation final : public Script {
 public:
  Simulation(const GenerateOptions& options, const Model& model)
      : options_(options),
        model_(model),
        rng_(options.seed),
        workload_(make_workload({options_, builder_.values(), rng_})) {
    rows_.reserve(options.operations);
    linearization_.reserve(options.operations);
    for (std::size_t slot = 0; slot < options.processes; ++slot) {
      process_.push_back(slot);
      idle_.push_back(slot);
    }
  }

  Result<Generated> run() {
    if (options_.spoil) {
      run_until(spoiling_point());
      come_to_rest();
      workload_->spoil(*this);
      assert(spoiled_.has_value());
    }
    run_until(options_.operations);
    while (!running_.empty()) advance(rng_.below(running_.size()));
    return make_history();
  }

  // Script: operations that run alone.
  OperationId run(const Request& request) override {
    assert(running_.empty());
    const OperationId op = call(request);
    const auto result = workload_->apply(op, request);
    assert(result.has_value());
    linearization_.push_back(op);
    rows_[op].result = *result;
    rows_[op].ret = now_++;
    return op;
  }
  OperationId run_anywhere(std::uint32_t operation, Arguments args) override {
    return run({idle_[rng_.below(idle_.size())], operation, args});
  }
  const Row& row(OperationId op) const override { return rows_[op]; }
  void record(OperationId op, Value result) override {
    assert(rows_[op].result != result);
    rows_[op].result = result;
    spoiled_ = op;
  }

 private:
  struct Running {
    OperationId op;
    Request request;
    bool lost;
    bool effective;  // it has taken effect, or never will
  };

  [[nodiscard]] Progress progress() const { return {rows_.size(), options_.operations}; }

  // Anywhere in the second half, but with room for what comes with it.
  std::size_t spoiling_point() {
    const std::size_t half = options_.operations / 2;
    const std::size_t room = std::min(half, 8 + 2 * options_.processes);
    return half + rng_.below(half - room + 1);
  }

  void run_until(std::size_t operations) {
    while (rows_.size() < operations) {
      late_effect();
      if (!idle_.empty() && (running_.empty() || rng_.chance(options_.overlap)) && start()) continue;
      if (running_.empty()) continue;
      // What is running waits for one that is not: a lock for its release.
      if (!advance(rng_.below(running_.size())) && !idle_.empty()) start();
    }
  }

  // Ends what is running and starts only what others wait for.
  void come_to_rest() {
    bool resting = false;
    while (!resting) {
      while (!running_.empty() && advance(rng_.below(running_.size()))) {
      }
      resting = running_.empty();
      for (std::size_t i = idle_.size(); i-- > 0;) {
        const auto request = workload_->let_go(idle_[i]);
        if (!request) continue;
        begin(i, *request, false);
        resting = false;
      }
    }
  }

  // One process that is idle calls an operation.
  bool start() {
    const std::size_t i = rng_.below(idle_.size());
    const auto request = workload_->choose(idle_[i], progress());
    if (!request) return false;
    if (options_.overlap == 0 && !workload_->is_possible(*request)) return false;
    const bool lost = rng_.chance(options_.pending) && workload_->loss(*request) != Loss::kForbidden;
    begin(i, *request, lost);
    return true;
  }

  void begin(std::size_t idle_index, const Request& request, bool lost) {
    std::swap(idle_[idle_index], idle_.back());
    idle_.pop_back();
    bool never = false;
    if (lost) {
      const Loss loss = workload_->loss(request);
      never = loss == Loss::kMustNotHappen || (loss == Loss::kEither && rng_.chance(0.5));
    }
    running_.push_back({call(request, lost), request, lost, never});
  }

  OperationId call(const Request& request, bool lost = false) {
    const auto op = static_cast<OperationId>(rows_.size());
    rows_.push_back({.process = builder_.values().integer(static_cast<std::int64_t>(process_[request.slot])),
                     .operation = request.operation,
                     .args = request.args,
                     .call = now_++});
    workload_->called(request, lost);
    return op;
  }

  // False when it has to wait for another.
  bool advance(std::size_t index) {
    Running& r = running_[index];
    if (!r.effective && r.lost && workload_->loss(r.request) == Loss::kEither && rng_.chance(0.5)) {
      late_.push_back(r);
      r.effective = true;
    }
    if (!r.effective) {
      if (!take_effect(r)) return false;
      r.effective = true;
      return true;
    }
    if (r.lost) {
      process_[r.request.slot] += options_.processes;  // as Jepsen numbers those that replace a lost one
    } else {
      rows_[r.op].ret = now_++;
    }
    idle_.push_back(r.request.slot);
    std::swap(r, running_.back());
    running_.pop_back();
    return true;
  }

  bool take_effect(const Running& r) {
    const auto result = workload_->apply(r.op, r.request);
    if (!result) return false;
    linearization_.push_back(r.op);
    if (!r.lost) rows_[r.op].result = *result;
    return true;
  }

  // Now and then a lost operation of long ago takes effect.
  void late_effect() {
    if (late_.empty() || rng_.below(8 * options_.processes) != 0) return;
    const std::size_t index = rng_.below(late_.size());
    if (!take_effect(late_[index])) return;
    late_[index] = late_.back();
    late_.pop_back();
  }

  Result<Generated> make_history() {
    builder_.reserve(rows_.size());
    builder_.set_model(std::string(model_.name()));
    builder_.set_initial(workload_->initial());
    std::vector<FunctionId> functions;
    for (const OperationSpec& spec : model_.operations()) functions.push_back(builder_.function(spec.name));
    for (const Row& row : rows_) {
      builder_.add(row.process, functions[row.operation], row.args.all(), {row.result, row.ret != kNever},
                   row.call, row.ret);
    }
    rows_ = {};
    auto history = builder_.finish();
    if (!history) return history.error();
    return Generated{std::move(*history), std::move(linearization_), spoiled_};
  }

  const GenerateOptions& options_;
  const Model& model_;
  HistoryBuilder builder_;
  Rng rng_;
  std::unique_ptr<Workload> workload_;
  std::vector<Row> rows_;
  std::vector<OperationId> linearization_;
  std::vector<std::size_t> process_;  // by slot
  std::vector<std::size_t> idle_;     // slots
  std::vector<Running> running_;
  std::vector<Running> late_;  // lost, and not effective yet
  std::optional<OperationId> spoiled_;
  Time now_ = 0;
};

Status check(const GenerateOptions& o) {
  constexpr std::size_t kMostProcesses = 1'000'000;
  constexpr std::size_t kMostValues = 1'000'000'000;
  constexpr std::size_t kFewestToSpoil = 8;
  const auto share = [](double d) { return d >= 0 && d <= 1; };
  if (o.operations > History::kMaxOperations / 2) {
    return Error{
        fmt::format("{} operations; expected at most {}", o.operations, History::kMaxOperations / 2)};
  }
  if (o.processes == 0 || o.processes > kMostProcesses) {
    return Error{fmt::format("{} processes; expected 1 to {}", o.processes, kMostProcesses)};
  }
  if (o.keys == 0 || o.keys > kMostValues)
    return Error{fmt::format("{} keys; expected 1 to {}", o.keys, kMostValues)};
  if (o.values == 0 || o.values > kMostValues) {
    return Error{fmt::format("{} values; expected 1 to {}", o.values, kMostValues)};
  }
  if (!share(o.overlap)) return Error{fmt::format("overlap {}; expected a number from 0 to 1", o.overlap)};
  if (!share(o.pending)) return Error{fmt::format("pending {}; expected a share from 0 to 1", o.pending)};
  if (o.spoil && o.operations < kFewestToSpoil) {
    return Error{fmt::format("{} {} too few to spoil; expected at least {}",
                             count_of(o.operations, "operation"), o.operations == 1 ? "is" : "are",
                             kFewestToSpoil)};
  }
  if (o.profile != Profile::kBalanced && !has_profiles(o.model)) {
    return Error{
        fmt::format("a {} has no other profile than 'balanced': it does not fill and empty", o.model)};
  }
  return Ok{};
}

}  // namespace

Result<Generated> generate(const GenerateOptions& options) {
  const auto model = find_model(options.model);
  if (!model) return model.error();
  if (auto status = check(options); !status) return status.error();
  return Simulation(options, **model).run();
}

std::optional<Profile> find_profile(std::string_view name) {
  if (name == "balanced") return Profile::kBalanced;
  if (name == "fill-drain") return Profile::kFillDrain;
  if (name == "bursts") return Profile::kBursts;
  return std::nullopt;
}

}  // namespace plumb
