// Work handed out: each item goes to the next worker that is free. The one interface for a campaign in the
// processes of this machine, and for a check or a campaign over the ranks of MPI.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "work/worker.hpp"

namespace plumb::work {

struct WorkDone {
  std::size_t item = 0;
  std::string answer;
  std::optional<int> died =
      std::nullopt;  // see Answer: how the process ended that worked at it, before it answered
};

struct PoolOptions {
  unsigned tries = 1;                       // so often is an item begun whose process dies
  bool drops = false;                       // an item that is no longer wanted is not waited for
  const std::atomic<bool>* stop = nullptr;  // set from outside: no answer is waited for any more
  std::function<void(const std::string& name)> lost =
      {};  // told of a worker that is gone; its item is given to another
  // Asked now and then: is it time to end? Nothing more is handed out then, and answers are waited
  // for so many seconds more.
  std::function<std::optional<double>()> over = {};
  std::function<void(std::size_t workers)> idle =
      {};  // told how many of them have nothing to do, whenever that changes
};

class WorkerPool {
 public:
  using Request = std::function<std::optional<std::string>(std::size_t item)>;
  // Told of each item as it ends, in any order; says how many are still wanted: those from there on are not
  // begun.
  using Taken = std::function<std::size_t(WorkDone done)>;

  WorkerPool(std::vector<std::unique_ptr<Worker>> workers, PoolOptions options);

  [[nodiscard]] std::size_t width() const { return slots_.size(); }
  // Has the items 0 … count − 1 worked at. `request` says what is asked for, when the item is handed out; nothing: it is to be asked again when
  // something else has ended.
  void run(std::size_t count, const Request& request, const Taken& taken);

 private:
  struct Slot {
    std::unique_ptr<Worker> worker;
    std::optional<std::size_t> item = std::nullopt;  // that is worked at here
    bool dropped = false;
  };
  class Run;

  std::vector<Slot> slots_;
  PoolOptions options_;
};

// As many processes of this machine.
[[nodiscard]] WorkerPool local_pool(std::size_t count, const Work& work, PoolOptions options = {});

}  // namespace plumb::work
