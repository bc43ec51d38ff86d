// A queue for one producer and one consumer, as it is found in many programs: it is right as long as memory is sequentially consistent, and
// wrong in C++. Run it with `--memory-model both`.
#include <plumb/explore.hpp>

#include <array>
#include <atomic>
#include <cstddef>

namespace {

class RingQueue {
 public:
  bool push(int value) {
    const std::size_t tail = tail_.load(std::memory_order_relaxed);
    if (tail - head_.load(std::memory_order_acquire) == slots_.size()) return false;
    slots_[tail % slots_.size()].store(value, std::memory_order_relaxed);
    tail_.store(tail + 1, std::memory_order_relaxed);  // tells the consumer, but not of the slot
    return true;
  }
  bool pop(int& value) {
    const std::size_t head = head_.load(std::memory_order_relaxed);
    if (head == tail_.load(std::memory_order_acquire)) return false;
    value = slots_[head % slots_.size()].load(std::memory_order_relaxed);
    head_.store(head + 1, std::memory_order_release);
    return true;
  }

 private:
  std::array<std::atomic<int>, 2> slots_{};
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
};

void produces_and_consumes(plumb::Program& p) {
  RingQueue queue;
  p.name(&queue, "queue");
  p.thread([&] { queue.push(7); });
  p.thread([&] {
    int value = 0;
    if (queue.pop(value)) p.require(value == 7, "pop returned something that was never pushed");
  });
  p.run();
}

}  // namespace

int main(int argc, char** argv) { return plumb::explore_main(argc, argv, produces_and_consumes); }
