// Records runs of real structures for Table 1 of the first paper and LiMo's figures, and measures what recording costs.
//
// usage: bench_structures record STRUCTURE THREADS OPERATIONS SEED FILE     a run of so many operations per thread, as a history
//        bench_structures throughput STRUCTURE THREADS OPERATIONS RUNS      operations per second, unrecorded and recorded, as JSON
//
// Compiled as any program is: nothing here is instrumented.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <plumb/record.hpp>

#include "base/rng.hpp"
#include "structures.hpp"

namespace {

constexpr int kKeys = 24;  // of a set, as in the paper

struct Run {
  std::size_t threads = 0;
  std::size_t operations = 0;  // of each
  std::uint64_t seed = 0;
};

// One operation of a thread; `log` may be none.
template <class Do>
void recorded(plumb::ThreadLog* log, plumb::RecordedFunction function, int value, Do act) {
  if (log == nullptr) return static_cast<void>(act());
  log->call(function, value);
  log->ret(act());
}

template <class S>
struct SetRun {
  plumb::RecordedFunction add, remove, contains;
  void step(S& set, plumb::ThreadLog* log, plumb::Rng& random, int /*fresh*/) const {
    const int key = static_cast<int>(random.below(kKeys));
    switch (random.below(3)) {
      case 0:
        return recorded(log, add, key, [&] { return set.add(key); });
      case 1:
        return recorded(log, remove, key, [&] { return set.remove(key); });
      default:
        return recorded(log, contains, key, [&] { return set.contains(key); });
    }
  }
};

template <class S>
struct ContainerRun {
  plumb::RecordedFunction put, take;
  void step(S& container, plumb::ThreadLog* log, plumb::Rng& random, int fresh) const {
    if (random.below(2) == 0) {
      if (log == nullptr) return container.put(fresh);
      log->call(put, fresh);
      container.put(fresh);
      log->ret();
    } else if (log == nullptr) {
      (void)container.take();
    } else {
      log->call(take);
      log->ret(container.take());
    }
  }
};

// All threads at once; seconds.
template <class S, class Kind>
double run_threads(const Run& run, const Kind& kind, plumb::Recorder* recorder) {
  S subject;
  std::atomic<std::size_t> here{0};
  std::vector<plumb::ThreadLog*> logs(run.threads);
  if (recorder != nullptr) std::ranges::generate(logs, [&] { return &recorder->thread(); });
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < run.threads; ++i) {
    threads.emplace_back([&, i] {
      plumb::Rng random(run.seed * 1000 + i);
      ++here;
      while (here < run.threads + 1) std::this_thread::yield();
      for (std::size_t n = 0; n < run.operations; ++n)
        kind.step(subject, logs[i], random, static_cast<int>(n * run.threads + i + 1));
    });
  }
  while (here < run.threads) std::this_thread::yield();
  const auto begin = std::chrono::steady_clock::now();
  ++here;
  for (std::thread& thread : threads) thread.join();
  const auto end = std::chrono::steady_clock::now();
  if (recorder != nullptr)
    std::ranges::for_each(logs, [&](plumb::ThreadLog* log) { recorder->release(*log); });
  return std::chrono::duration<double>(end - begin).count();
}

[[noreturn]] void fail(const std::string& message) {
  fmt::print(stderr, "bench_structures: {}\n", message);
  std::exit(2);
}

std::unique_ptr<plumb::Recorder> opened(plumb::Result<std::unique_ptr<plumb::Recorder>> recorder) {
  if (!recorder) fail(recorder.error().text());
  return std::move(*recorder);
}

// What to do with a structure, whatever kind it is: `act(kind, model)` with the functions of a recorder.
template <class Act>
struct Visit {
  std::function<std::unique_ptr<plumb::Recorder>(const std::string& model)> make;
  Act act;
  template <class S>
  void set() {
    const auto recorder = make("set");
    const auto named = [&](const char* name) { return recorder->function(name); };
    act.template run<S>(SetRun<S>{named("add"), named("remove"), named("contains")}, *recorder);
  }
  template <class S>
  void stack() {
    const auto recorder = make("stack");
    act.template run<S>(ContainerRun<S>{recorder->function("push"), recorder->function("pop")}, *recorder);
  }
  template <class S>
  void queue() {
    const auto recorder = make("queue");
    act.template run<S>(ContainerRun<S>{recorder->function("enqueue"), recorder->function("dequeue")},
                        *recorder);
  }
};

struct Record {
  Run how;
  template <class S, class Kind>
  void run(const Kind& kind, plumb::Recorder& recorder) {
    run_threads<S>(how, kind, &recorder);
    if (auto closed = recorder.close(); !closed) fail(closed.error().text());
  }
};

// The best of several runs each way, in turn.
struct Throughput {
  Run how;
  int runs = 0;
  template <class S, class Kind>
  void run(const Kind& kind, plumb::Recorder& recorder) {
    double plain = 0;
    double recorded = 0;
    const double operations = static_cast<double>(how.threads * how.operations);
    for (int i = 0; i < runs; ++i) {
      plain = std::max(plain, operations / run_threads<S>(how, kind, nullptr));
      recorded = std::max(recorded, operations / run_threads<S>(how, kind, &recorder));
      recorder.clear();
    }
    fmt::print("{{\"unrecorded\":{:.0f},\"recorded\":{:.0f}}}\n", plain, recorded);
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() < 5) fail("see the top of benchmarks/structures.cpp");
  const auto number = [&](std::size_t i) { return std::strtoull(arguments[i].c_str(), nullptr, 10); };
  Run how{.threads = number(2), .operations = number(3), .seed = 1};
  bool found = false;
  if (arguments[0] == "record" && arguments.size() == 6) {
    how.seed = number(4);
    const auto make = [&](const std::string& model) {
      return opened(plumb::Recorder::open(arguments[5], {.model = model}));
    };
    found = structures::find(arguments[1], Visit<Record>{make, {how}});
  } else if (arguments[0] == "throughput") {
    const auto make = [](const std::string& model) {
      return opened(plumb::Recorder::in_memory({.model = model}));
    };
    found = structures::find(arguments[1], Visit<Throughput>{make, {how, static_cast<int>(number(4))}});
  }
  if (!found) fail(fmt::format("no {} of {}", arguments[0], arguments[1]));
  return 0;
}
