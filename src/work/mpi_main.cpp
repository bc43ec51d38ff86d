// plumb-mpi, the only program that knows MPI: each rank starts it once, to find out which rank it is and
// where rank 0 listens. Then MPI's part is over: a rank that dies later is none of its business.
//
// Writes "RANK SIZE RANKS-ON-THIS-MACHINE"; rank 0 is then told a line, which the others write. See
// bootstrap.cpp.
#include <mpi.h>

#include <cstdio>
#include <iostream>
#include <string>

int main(int argc, char** argv) {
  int rank = 0;
  int size = 1;
  int here = 1;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &here);
  MPI_Comm_free(&machine);
  std::cout << rank << ' ' << size << ' ' << here << std::endl;

  std::string line;
  if (rank == 0) std::getline(std::cin, line);
  int length = static_cast<int>(line.size());
  MPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  line.resize(static_cast<std::size_t>(length));
  MPI_Bcast(line.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  if (rank != 0) std::cout << line << std::endl;
  MPI_Finalize();
  return 0;
}
