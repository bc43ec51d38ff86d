// A playground of litmus programs: what the classical shapes may do, under sequential consistency and under the C++ memory model (RC11), with
// relaxed, release/acquire and sequentially consistent accesses. Change a shape, or add one, and look.
#include <plumb/explore.hpp>

#include <atomic>
#include <cstdio>
#include <string>

namespace {

using Order = std::memory_order;

std::string text(std::initializer_list<int> values) {
  std::string all;
  for (const int value : values) all += std::to_string(value);
  return all;
}

// Store buffering: can both threads miss the other's store?
template <Order kStore, Order kLoad>
void store_buffering(plumb::Program& p) {
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  int a = 0;
  int b = 0;
  p.thread([&] { x.store(1, kStore), a = y.load(kLoad); });
  p.thread([&] { y.store(1, kStore), b = x.load(kLoad); });
  p.run();
  p.observe(text({a, b}));
}

// Message passing: can a thread see the flag and not the message?
template <Order kStore, Order kLoad>
void message_passing(plumb::Program& p) {
  std::atomic<int> message{0};
  std::atomic<int> flag{0};
  int a = 0;
  int b = 0;
  p.thread([&] { message.store(1, std::memory_order_relaxed), flag.store(1, kStore); });
  p.thread([&] { a = flag.load(kLoad), b = message.load(std::memory_order_relaxed); });
  p.run();
  p.observe(text({a, b}));
}

// Independent reads of independent writes: can two readers disagree on which store came first?
template <Order kStore, Order kLoad>
void independent_reads(plumb::Program& p) {
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  int a = 0;
  int b = 0;
  int c = 0;
  int d = 0;
  p.thread([&] { x.store(1, kStore); });
  p.thread([&] { y.store(1, kStore); });
  p.thread([&] { a = x.load(kLoad), b = y.load(kLoad); });
  p.thread([&] { c = y.load(kLoad), d = x.load(kLoad); });
  p.run();
  p.observe(text({a, b, c, d}));
}

// Coherence: can a thread read a new value, and then an old one?
template <Order kStore, Order kLoad>
void coherence(plumb::Program& p) {
  std::atomic<int> x{0};
  int a = 0;
  int b = 0;
  p.thread([&] { x.store(1, kStore); });
  p.thread([&] { a = x.load(kLoad), b = x.load(kLoad); });
  p.run();
  p.observe(text({a, b}));
}

void show(const char* shape, const char* orders, void (*program)(plumb::Program&)) {
  for (const auto model : {plumb::MemoryModel::kSequential, plumb::MemoryModel::kRc11}) {
    const auto result = plumb::explore(program, {.memory_model = model});
    std::printf("%-18s %-16s %-4s %3lu executions:", shape, orders,
                model == plumb::MemoryModel::kRc11 ? "rc11" : "sc",
                static_cast<unsigned long>(result.executions));
    for (const auto& [outcome, executions] : result.outcomes) std::printf(" %s", outcome.c_str());
    std::printf("\n");
  }
}

}  // namespace

#define SHOW(shape)                                                                               \
  show(#shape, "relaxed", &shape<std::memory_order_relaxed, std::memory_order_relaxed>);          \
  show(#shape, "release, acquire", &shape<std::memory_order_release, std::memory_order_acquire>); \
  show(#shape, "seq_cst", &shape<std::memory_order_seq_cst, std::memory_order_seq_cst>)

int main() {
  SHOW(store_buffering);
  SHOW(message_passing);
  SHOW(independent_reads);
  SHOW(coherence);
}
