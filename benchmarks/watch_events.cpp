// Events for `plumb watch`, as many as wanted and as fast as they can be written: 8 processes on a queue, a
// stack, a set or a counter, linearizable by construction.
//
//   c++ -O2 -o watch_events watch_events.cpp && ./watch_events queue 50000000 | plumb watch -m queue
//   ./watch_events queue 2000000 2 1000000 | plumb watch -m queue
//
// With the third argument, a queue and a stack have so many different values only, from an event on if there is a fourth.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>
#include <vector>

namespace {

constexpr int kProcesses = 8;
constexpr std::size_t kMostInside = 1000;
constexpr std::uint64_t kKeys = 1000;

struct Process {
  bool running = false;
  const char* function = "";
  std::string invoked = "null";
  std::string returns = "null";
};

std::uint64_t different = 0;  // values; 0: all are

std::uint64_t state = 88172645463325252ULL;
std::uint64_t next_random() {
  state ^= state << 13U;
  state ^= state >> 7U;
  return state ^= state << 17U;
}

template <bool kIsStack>
void start_collection(Process& p) {
  static std::deque<std::uint64_t> items;
  static std::uint64_t next = 0;
  if (items.size() < kMostInside && next_random() % 2 == 0) {
    const std::uint64_t value = different == 0 ? next++ : next_random() % different;
    kIsStack ? items.push_front(value) : items.push_back(value);
    p.function = kIsStack ? "push" : "enqueue";
    p.invoked = p.returns = std::to_string(value);
    return;
  }
  p.function = kIsStack ? "pop" : "dequeue";
  p.invoked = "null";
  p.returns = items.empty() ? "null" : std::to_string(items.front());
  if (!items.empty()) items.pop_front();
}

void start_set(Process& p) {
  static std::vector<bool> inside(kKeys);
  const std::uint64_t key = next_random() % kKeys;
  const std::uint64_t kind = next_random() % 3;
  const bool before = inside[key];
  p.function = kind == 0 ? "add" : kind == 1 ? "remove" : "contains";
  p.invoked = std::to_string(key);
  p.returns = (kind == 0 ? !before : before) ? "true" : "false";
  if (kind != 2) inside[key] = kind == 0;
}

void start_counter(Process& p) {
  static std::uint64_t count = 0;
  const std::uint64_t amount = next_random() % 4;
  p.function = amount == 0 ? "read" : "fetch_add";
  p.invoked = amount == 0 ? "null" : std::to_string(amount);
  p.returns = std::to_string(count);
  count += amount;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string model = argc > 1 ? argv[1] : "queue";
  const auto start = model == "set"       ? start_set
                     : model == "counter" ? start_counter
                     : model == "stack"   ? start_collection<true>
                                          : start_collection<false>;
  const std::uint64_t events = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1000000;
  const std::uint64_t values = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 0;
  const std::uint64_t repeat_from = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 0;
  std::vector<Process> processes(kProcesses);
  for (std::uint64_t i = 0; i < events; ++i) {
    if (i == repeat_from) different = values;
    const std::uint64_t who = next_random() % kProcesses;
    Process& p = processes[who];
    const bool ends = p.running;
    if (!ends) start(p);
    p.running = !ends;
    std::printf("{\"process\":%d,\"type\":\"%s\",\"f\":\"%s\",\"value\":%s}\n", static_cast<int>(who),
                ends ? "ok" : "invoke", p.function, (ends ? p.returns : p.invoked).c_str());
  }
}
