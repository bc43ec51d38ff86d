// A counter that loses increments, used by two threads and recorded:
//
//   ./record_counter run.plumb; plumb check run.plumb
#include <plumb/record.hpp>

#include <atomic>
#include <cstdio>
#include <thread>

namespace {

std::atomic<int> cell = 0;
std::atomic<int> started = 0;

int fetch_add() {  // not atomic: two threads may read the same
  const int old = cell.load();
  if (old % 100 == 0) std::this_thread::yield();  // sooner, too
  cell.store(old + 1);
  return old;
}

void work(plumb::ThreadLog& log, plumb::RecordedFunction add) {
  ++started;
  while (started != 2) std::this_thread::yield();
  for (int i = 0; i < 20'000; ++i) {
    log.call(add, 1);
    const int old = fetch_add();
    log.ret(old);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: %s FILE\n", argv[0]), 2;
  auto recorder = plumb::Recorder::open(argv[1], {.model = "counter"});
  if (!recorder) return std::fprintf(stderr, "%s\n", recorder.error().text().c_str()), 2;
  const auto add = (*recorder)->function("fetch_add");
  std::thread other(work, std::ref((*recorder)->thread()), add);
  work((*recorder)->thread(), add);
  other.join();
  const auto status = (*recorder)->close();
  if (!status) return std::fprintf(stderr, "%s\n", status.error().text().c_str()), 1;
  return 0;
}
