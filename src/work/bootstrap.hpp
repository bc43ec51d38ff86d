// How the ranks of a run find each other: by MPI, in a process of its own (mpi_main.cpp), so that a program
// that may be spread out neither links nor loads MPI, and does not fall with it.
#pragma once

#include <optional>

#include <plumb/result.hpp>

#include "work/network.hpp"

namespace plumb::work {

struct Bootstrap {
  unsigned rank = 0;
  unsigned size = 1;
  unsigned here = 1;                 // ranks on this machine
  std::optional<Listener> listener;  // of rank 0
  Endpoint endpoint;                 // of rank 0, for the others
};

// Without mpirun this is rank 0 of 1. Fails where plumb was built without MPI.
[[nodiscard]] Result<Bootstrap> bootstrap();

}  // namespace plumb::work
