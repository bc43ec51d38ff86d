// A long run, recorded: threads that enqueue and dequeue in turn.  bench_record_run FILE OPERATIONS [THREADS]
// Prints the seconds that it took, and those of the same run unrecorded.
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <tbb/concurrent_queue.h>

#include <plumb/record.hpp>

namespace {

// Half of the operations of each thread are dequeues; every value is enqueued once.
template <class Enqueue, class Dequeue>
double run(int threads, long operations, Enqueue enqueue, Dequeue dequeue) {
  const auto begin = std::chrono::steady_clock::now();
  std::vector<std::thread> running;
  for (int thread = 0; thread < threads; ++thread) {
    running.emplace_back([=] {
      for (long i = thread; i < operations / 2; i += threads) {
        enqueue(thread, static_cast<int>(i));
        dequeue(thread);
      }
    });
  }
  for (std::thread& thread : running) thread.join();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) return std::fputs("usage: bench_record_run FILE OPERATIONS [THREADS]\n", stderr), 2;
  const long operations = std::stol(argv[2]);
  const int threads = argc > 3 ? std::stoi(argv[3]) : 4;
  tbb::concurrent_queue<int> queue;
  const double bare = run(
      threads, operations, [&](int, int value) { queue.push(value); },
      [&](int) {
        int value = 0;
        queue.try_pop(value);
      });
  queue.clear();

  auto recorder = plumb::Recorder::open(argv[1], {.model = "queue"});
  if (!recorder) return std::fprintf(stderr, "%s\n", recorder.error().text().c_str()), 2;
  const auto enqueue = (*recorder)->function("enqueue");
  const auto dequeue = (*recorder)->function("dequeue");
  std::vector<plumb::ThreadLog*> logs;
  for (int i = 0; i < threads; ++i) logs.push_back(&(*recorder)->thread());
  const double recorded = run(
      threads, operations,
      [&](int thread, int value) {
        plumb::ThreadLog& log = *logs[static_cast<std::size_t>(thread)];
        log.call(enqueue, value);
        queue.push(value);
        log.ret();
      },
      [&](int thread) {
        plumb::ThreadLog& log = *logs[static_cast<std::size_t>(thread)];
        int value = 0;
        log.call(dequeue);
        const bool found = queue.try_pop(value);
        const std::uint64_t stamp = log.stamp();
        log.ret_at(stamp, found ? plumb::LogValue(value) : plumb::LogValue());
      });
  const auto status = (*recorder)->close();
  if (!status) return std::fprintf(stderr, "%s\n", status.error().text().c_str()), 1;
  fmt::print("{{\"operations\":{},\"threads\":{},\"bare_s\":{:.2f},\"recorded_s\":{:.2f},\"bytes\":{}}}\n",
             operations, threads, bare, recorded, (*recorder)->bytes());
}
