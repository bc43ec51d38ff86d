// The ranks of MPI as workers. Rank 0 hands out, and works too; the others work for it.
//
// Each rank is a process that stays where the launcher put it until the run is over. It has a process for each piece of work that it
// does at a time, with a connection to rank 0 (bridge.hpp); rank 0 has such processes of its own. They do the work in children of
// theirs: what brings a child down, an error of the class under test or the want of memory, is told to rank 0 as an answer. A process
// that is gone loses its connection, and its work is done by others. What becomes of a run one of whose ranks is gone is up to MPI and
// its launcher.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plumb/result.hpp>

#include "work/bridge.hpp"
#include "work/worker_pool.hpp"

namespace plumb::work {

struct JoinOptions {
  std::vector<std::string> arguments;  // of the program: the same at all ranks, as is the program itself
  unsigned processes = 1;              // that work at each rank
  std::string problem = {};            // why this rank cannot work; the run then fails, with this
  PoolOptions pool = {};
};

// What rank 0 has of them.
struct Ranks {
  Ranks(Bridge its_bridge, WorkerPool its_pool) : bridge(std::move(its_bridge)), pool(std::move(its_pool)) {}

  Bridge bridge;  // left when the pool is gone
  WorkerPool pool;
};

// Before there are threads. Rank 0 gets the pool of all. The others get nothing, once the run is over, and are to end.
[[nodiscard]] Result<std::unique_ptr<Ranks>> join(Bridge bridge, const JoinOptions& options,
                                                  const Work& work);

}  // namespace plumb::work
