// Each stage on its own, on generated histories: reading each format, splitting by key, the search for each
// model.
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <string>
#include <utility>

#include <benchmark/benchmark.h>
#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/generate.hpp>

#include "check/partition.hpp"
#include "spec/bind.hpp"

namespace plumb {
namespace {

constexpr std::size_t kOperations = 10'000;
// In a wrong order of insertions the general search runs on until the values come out: long histories are out
// of reach.
constexpr std::size_t kOperationsOfSequences = 200;

template <class T>
T must(Result<T> result) {
  if (result) return std::move(result).value();
  std::cerr << "bench_stages: " << result.error().text() << "\n";
  std::exit(2);
}

History make_history(const std::string& model) {
  GenerateOptions options;
  options.model = model;
  const bool is_sequence = model == "queue" || model == "stack" || model == "deque";
  options.operations = is_sequence ? kOperationsOfSequences : kOperations;
  return std::move(must(generate(options)).history);
}

void per_operation(benchmark::State& state, const History& history) {
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(history.size()));
}

void read_format(benchmark::State& state, const std::string& format, const std::string& model) {
  const History history = make_history(model);
  const std::string text = must(format_histories({&history, 1}, format));
  for ([[maybe_unused]] auto _ : state) benchmark::DoNotOptimize(must(parse_histories(text, format)));
  per_operation(state, history);
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text.size()));
}

void split_by_key(benchmark::State& state) {
  const History history = make_history("set");
  const BoundHistory bound = must(BoundHistory::bind(history, *must(find_model("set"))));
  for ([[maybe_unused]] auto _ : state) {
    const Partition partition(bound, PartitionBy::kObjectAndKey);
    benchmark::DoNotOptimize(partition.parts().data());
  }
  per_operation(state, history);
}

void search(benchmark::State& state, const Model& model) {
  const History history = make_history(std::string(model.name()));
  CheckOptions options;
  options.engine = Engine::kWgl;
  options.jobs = 1;
  options.timeout = std::chrono::seconds(10);
  std::uint64_t configurations = 0;
  for ([[maybe_unused]] auto _ : state) {
    const Verdict verdict = must(check(history, model, options));
    configurations = verdict.configurations;
    if (verdict.outcome == Outcome::kHolds) continue;
    state.SkipWithError(std::string(to_string(verdict)).c_str());
    break;
  }
  per_operation(state, history);
  state.counters["configurations"] = static_cast<double>(configurations);
}

void register_all() {
  for (const auto& [format, model] :
       {std::pair("jsonl", "set"), {"events", "set"}, {"edn", "set"}, {"hist", "priority-queue"}}) {
    benchmark::RegisterBenchmark((std::string("read/") + format).c_str(), read_format, format, model);
  }
  benchmark::RegisterBenchmark("split/set", split_by_key);
  for (const Model* model : built_in_models()) {
    benchmark::RegisterBenchmark(("search/" + std::string(model->name())).c_str(),
                                 [model](benchmark::State& state) { search(state, *model); })
        ->Unit(benchmark::kMicrosecond);
  }
}

}  // namespace
}  // namespace plumb

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  plumb::register_all();
  benchmark::RunSpecifiedBenchmarks();
}
