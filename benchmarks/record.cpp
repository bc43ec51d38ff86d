// What recording costs: the stamps of an operation alone, then the same with a record of it,
// on one thread or several.
// usage: bench_record FILE [OPERATIONS]       one JSON object a measurement; FILE is written, and removed
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include <plumb/record.hpp>

namespace {

using plumb::Clock;
using plumb::ClockKind;
using plumb::Recorder;

constexpr int kRepeats = 5;

double processor_time() {
  timespec now = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Nanoseconds of processor time per operation, of some threads that all do `each(thread)` at once;
// the best of some attempts.
double measure(int threads, int operations, const std::function<void(int)>& each) {
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<double> took(static_cast<std::size_t>(threads));
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&each, &slot = took[static_cast<std::size_t>(i)], i] {
        const double begin = processor_time();
        each(i);
        slot = processor_time() - begin;
      });
    }
    for (std::thread& thread : running) thread.join();
    best = std::min(best, *std::max_element(took.begin(), took.end()) / operations);
  }
  return best;
}

double bare(const Clock& clock, int threads, int operations) {
  return measure(threads, operations, [&](int) {
    std::uint64_t sum = 0;
    if (clock.kind() == ClockKind::kHardware) {  // nothing but the instructions
      std::uint64_t call = 0;
      for (int i = 0; i < operations; ++i) sum += Clock::hardware_call(call) + Clock::hardware_after();
    } else {
      for (int i = 0; i < operations; ++i) sum += clock.before() + clock.after();
    }
    static std::atomic<std::uint64_t> sink;
    sink += sum;
  });
}

double recorded(Recorder& recorder, int threads, int operations) {
  const auto push = recorder.function("enqueue");
  std::vector<plumb::ThreadLog*> logs;
  for (int i = 0; i < threads; ++i) logs.push_back(&recorder.thread());
  return measure(threads, operations, [&](int thread) {
    plumb::ThreadLog& log = *logs[static_cast<std::size_t>(thread)];
    for (int i = 0; i < operations; ++i) {
      log.call(push, i);
      log.ret(i);
    }
  });
}

void show(ClockKind kind, int threads, const char* into, double bare_ns, double ns) {
  fmt::print(
      "{{\"clock\":\"{}\",\"threads\":{},\"into\":\"{}\",\"stamps_ns\":{:.1f},\"recorded_ns\":{:.1f}}}\n",
      plumb::clock_name(kind), threads, into, bare_ns, ns);
  std::fflush(stdout);
}

bool run(ClockKind kind, int threads, const std::string& path, int operations) {
  std::atomic<std::uint64_t> counter = 0;
  const auto clock = Clock::make(kind, &counter);
  if (!clock) return false;
  const double stamps = bare(*clock, threads, operations);
  auto memory = Recorder::in_memory({.clock = kind});
  if (!memory) return false;
  show(kind, threads, "memory", stamps, recorded(**memory, threads, operations));
  memory->reset();
  auto file = Recorder::open(path, {.clock = kind});
  if (!file) return false;
  show(kind, threads, "file", stamps, recorded(**file, threads, operations));
  const bool good = (*file)->close().ok();
  std::filesystem::remove(path);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return std::fputs("usage: bench_record FILE [OPERATIONS]\n", stderr), 2;
  const int operations = argc > 2 ? std::stoi(argv[2]) : 2'000'000;
  bool good = true;
  for (const ClockKind kind : {ClockKind::kHardware, ClockKind::kSystem, ClockKind::kCounter}) {
    for (const int threads : {1, 2}) good = run(kind, threads, argv[1], operations) && good;
  }
  return good ? 0 : 1;
}
