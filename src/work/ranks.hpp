// The ranks of MPI as workers. Rank 0 hands out, and works too; the others work for it, over
// connections of their own.
//
// MPI only brings them together (bootstrap.hpp). A rank that has found rank 0 leaves what mpirun watches: its
// workers are processes in a session of their own, which end with their connection. So mpirun, which ends all
// ranks when one of them is killed, sees them leave in peace, and its status is that of rank 0. One that dies
// loses its connection; its work is done by the others. At each worker, those of rank 0 too, the work is done in a child: what brings
// that down, an error of the class under test or the want of memory, is told to rank 0 as an answer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <plumb/result.hpp>

#include "work/bootstrap.hpp"
#include "work/worker_pool.hpp"

namespace plumb::work {

struct JoinOptions {
  std::vector<std::string> arguments;  // of the program: the same at all ranks, as is the program itself
  unsigned processes = 1;              // that work at each rank
  std::string problem = {};            // why this rank cannot work; the run then fails, with this
  PoolOptions pool = {};
};

// Rank 0 gets the pool of all. The others get nothing: their processes work from now on, and they are to
// end.
[[nodiscard]] Result<std::unique_ptr<WorkerPool>> join(const Bootstrap& bootstrap, const JoinOptions& options,
                                                       const Work& work);

}  // namespace plumb::work
