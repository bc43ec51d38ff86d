// How the ranks of a run reach each other: by MPI, in a process of its own beside each (mpi_main.cpp), so that a program that may be
// spread out neither links nor loads MPI. What it has of it are connections, which it reads and writes as any other.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <plumb/result.hpp>

namespace plumb::work {

// One end of a connection; closed when it goes away.
class Connection {
 public:
  explicit Connection(int file) : file_(file) {}
  Connection(Connection&& other) noexcept;
  Connection& operator=(Connection&&) = delete;
  ~Connection();

  [[nodiscard]] int file() const { return file_; }
  // The other side reads the end, though other processes may have inherited this one.
  void end() const;

 private:
  int file_;
};

struct RankConnection {
  unsigned rank;  // that it leads to
  Connection connection;
};

class Bridge {
 public:
  // Has each rank say how many of its processes rank 0 is to be connected with. Without mpirun this is rank 0 of 1. Fails where plumb was
  // built without MPI.
  [[nodiscard]] static Result<Bridge> open(unsigned processes);
  Bridge(Bridge&& other) noexcept;
  Bridge& operator=(Bridge&&) = delete;
  // Leaves MPI, together with the other ranks: what is connected has to be gone before.
  ~Bridge();

  [[nodiscard]] unsigned rank() const { return rank_; }
  [[nodiscard]] unsigned size() const { return size_; }
  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] unsigned here() const { return here_; }  // ranks on this machine
  // Once. Of rank 0: to each process of the other ranks; of another: to rank 0, for each of its processes.
  [[nodiscard]] Result<std::vector<RankConnection>> connections();

 private:
  explicit Bridge(int control) : control_(control) {}
  [[nodiscard]] Status start(const std::string& program, unsigned processes, int its_end);
  [[nodiscard]] Status hear_who_this_is(const std::string& program);

  std::optional<Connection> control_;
  pid_t process_ = -1;
  unsigned rank_ = 0;
  unsigned size_ = 1;
  unsigned here_ = 1;
  std::size_t count_ = 0;  // of connections
};

[[nodiscard]] std::string host_name();

}  // namespace plumb::work
