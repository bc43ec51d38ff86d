#include "work/worker_pool.hpp"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "work/forked_worker.hpp"

namespace plumb::work {

class WorkerPool::Run {
 public:
  Run(WorkerPool& pool, std::size_t count, const Request& request, const Taken& taken)
      : pool_(pool), count_(count), request_(request), taken_(taken) {}

  void run() {
    for (;;) {
      for (Slot& slot : pool_.slots_) {
        if (slot.worker && !slot.item) give(slot);
      }
      std::vector<pollfd> files;
      std::vector<Slot*> busy;
      for (Slot& slot : pool_.slots_) {
        if (!slot.worker || !slot.item) continue;
        files.push_back({.fd = slot.worker->file(), .events = POLLIN, .revents = 0});
        busy.push_back(&slot);
      }
      tell_idle(pool_.slots_.size() - busy.size());
      if (busy.empty() || too_late()) return;
      constexpr int kLookUp = 100;  // milliseconds: a signal may come just before the wait
      if (poll(files.data(), files.size(),
               pool_.options_.stop == nullptr && !pool_.options_.over ? -1 : kLookUp) <= 0)
        continue;
      for (std::size_t i = 0; i < busy.size(); ++i) {
        if (files[i].revents != 0) take(*busy[i]);
      }
    }
  }

 private:
  using Clock = std::chrono::steady_clock;

  [[nodiscard]] bool asked() const {
    return pool_.options_.stop != nullptr && pool_.options_.stop->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool stopped() {
    if (!over_ && pool_.options_.over) {
      if (const auto patience = pool_.options_.over())
        over_ = Clock::now() +
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(*patience));
    }
    return over_ || asked();
  }
  [[nodiscard]] bool too_late() { return asked() || (stopped() && Clock::now() > *over_); }

  void tell_idle(std::size_t workers) {
    if (pool_.options_.idle && std::exchange(idle_, workers) != workers) pool_.options_.idle(workers);
  }

  // Items that were begun before come first: later ones may not be wanted in the end.
  std::optional<std::size_t> next_item() {
    if (stopped()) return std::nullopt;
    if (!again_.empty()) {
      const std::size_t item = *again_.begin();
      again_.erase(again_.begin());
      if (item < count_) return item;
    }
    if (next_ < count_) return next_++;
    return std::nullopt;
  }

  void give(Slot& slot) {
    const auto item = next_item();
    if (!item) return;
    const auto request = request_(*item);
    if (!request) {
      again_.insert(*item);
      return;
    }
    slot.item = item;
    slot.dropped = false;
    if (!slot.worker->give(*request)) lose(slot);
  }

  void lose(Slot& slot) {
    if (pool_.options_.lost) pool_.options_.lost(slot.worker->name());
    again_.insert(*slot.item);
    slot.item.reset();
    slot.worker.reset();
  }

  void take(Slot& slot) {
    Answer answer;
    const Worker::State state = slot.worker->take(answer);
    if (state == Worker::State::kWorking) return;
    if (state == Worker::State::kLost) return lose(slot);
    const std::size_t item = *std::exchange(slot.item, std::nullopt);
    if (slot.dropped) return;
    if (answer.died && ++deaths_[item] < pool_.options_.tries) {
      again_.insert(item);
      return;
    }
    count_ = std::min(count_, taken_({item, std::move(answer.text), answer.died}));
    if (pool_.options_.drops) drop_unwanted();
  }

  void drop_unwanted() {
    for (Slot& slot : pool_.slots_) {
      if (!slot.item || *slot.item < count_ || slot.dropped) continue;
      slot.dropped = true;
      slot.worker->drop();
    }
  }

  WorkerPool& pool_;
  std::size_t count_;
  const Request& request_;
  const Taken& taken_;
  std::size_t next_ = 0;
  std::set<std::size_t> again_;  // items whose worker was lost, or whose process died, or that have to wait
  std::map<std::size_t, unsigned> deaths_;
  std::optional<std::size_t> idle_;        // as it was told
  std::optional<Clock::time_point> over_;  // when the last answers are waited for
};

WorkerPool::WorkerPool(std::vector<std::unique_ptr<Worker>> workers, PoolOptions options)
    : options_(std::move(options)) {
  for (auto& worker : workers) slots_.push_back({.worker = std::move(worker)});
}

void WorkerPool::run(std::size_t count, const Request& request, const Taken& taken) {
  Run(*this, count, request, taken).run();
}

WorkerPool local_pool(std::size_t count, const Work& work, PoolOptions options) {
  std::vector<std::unique_ptr<Worker>> workers;
  for (std::size_t i = 0; i < count; ++i) workers.push_back(std::make_unique<ForkedWorker>(work));
  return {std::move(workers), std::move(options)};
}

}  // namespace plumb::work
