// plumb-mpi, the only program that knows MPI: a cable between the processes of a run. Each rank's program starts one beside it, which
// stays as long as there is something to carry. Bytes that go in at one end come out at the other; it knows nothing of what they mean.
//
// A wire joins a process of another rank with rank 0. At each end it is a socket; between them messages of MPI, of which an empty one
// says that nothing more comes. A message is sent when the one before it was taken, and asked for when there is room for it: what one
// side does not read, the other cannot send. A rank that MPI gives up is the end of its wires, where MPI goes on without it.
//
// On standard input there is a socket to the program, see bridge.cpp: "RANK SIZE RANKS-ON-THIS-MACHINE WIRES" goes there, then the
// sockets, each with the rank that its wire leads to. usage: plumb-mpi PROCESSES
#include <mpi.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 14U;
constexpr int kEnd = 32767;  // the tag of rank 0's last message, the largest that every MPI has

struct Wire {
  int socket;
  int peer;
  int number;  // among those of the peer's rank, or of this one: the tag of its messages
  std::array<char, kPiece> to_peer = {};
  std::array<char, kPiece> from_peer = {};
  std::size_t arrived = 0;  // bytes from the peer, of which the socket has taken
  std::size_t taken = 0;    // so many
  bool is_sending = false;
  bool program_ended = false;  // it says nothing more
  bool peer_ended = false;

  Wire(int its_socket, int its_peer, int its_number)
      : socket(its_socket), peer(its_peer), number(its_number) {}
  [[nodiscard]] bool is_over() const {
    return program_ended && peer_ended && !is_sending && taken == arrived;
  }
};

// How long to wait for a socket before MPI is asked again, which cannot be waited for: a sixteenth of the time in which nothing
// happened.
timespec patience(std::chrono::steady_clock::duration idle) {
  using std::chrono::nanoseconds;
  constexpr nanoseconds kLeast = std::chrono::microseconds(20);
  constexpr nanoseconds kMost = std::chrono::milliseconds(2);
  return {
      .tv_sec = 0,
      .tv_nsec =
          std::clamp<nanoseconds>(std::chrono::duration_cast<nanoseconds>(idle) / 16, kLeast, kMost).count()};
}

class Cable {
 public:
  Cable(int rank, std::vector<Wire> wires)
      : wires_(std::move(wires)),
        rank_0_ended_(rank == 0),
        requests_(2 * wires_.size() + 1, MPI_REQUEST_NULL),
        done_(requests_.size()),
        statuses_(requests_.size()) {
    for (std::size_t i = 0; i < wires_.size(); ++i) listen(i);
    if (rank != 0) MPI_Irecv(nullptr, 0, MPI_BYTE, 0, kEnd, MPI_COMM_WORLD, &requests_.back());
  }

  // Until all wires have ended at both ends, and those of rank 0 have; false: MPI failed.
  bool run() {
    while (!rank_0_ended_ || !std::ranges::all_of(wires_, &Wire::is_over)) {
      const bool heard = ask_mpi();
      if (failed_) return false;
      const bool told = ask_sockets();
      if (heard || told) last_ = std::chrono::steady_clock::now();
    }
    return true;
  }

 private:
  MPI_Request& receiving(std::size_t wire) { return requests_[2 * wire]; }
  MPI_Request& sending(std::size_t wire) { return requests_[2 * wire + 1]; }

  void listen(std::size_t i) {
    Wire& wire = wires_[i];
    const int result = MPI_Irecv(wire.from_peer.data(), kPiece, MPI_BYTE, wire.peer, wire.number,
                                 MPI_COMM_WORLD, &receiving(i));
    if (result != MPI_SUCCESS) lose(wire);
  }
  // Done when the peer has taken it.
  void send(std::size_t i, std::size_t size) {
    Wire& wire = wires_[i];
    const int result = MPI_Issend(wire.to_peer.data(), static_cast<int>(size), MPI_BYTE, wire.peer,
                                  wire.number, MPI_COMM_WORLD, &sending(i));
    wire.is_sending = result == MPI_SUCCESS;
    if (!wire.is_sending) lose(wire);
  }

  bool ask_mpi() {
    const int count = static_cast<int>(requests_.size());
    int found = 0;
    const int result = MPI_Testsome(count, requests_.data(), &found, done_.data(), statuses_.data());
    failed_ = result != MPI_SUCCESS && result != MPI_ERR_IN_STATUS;
    if (failed_ || found == MPI_UNDEFINED) return false;
    for (int i = 0; i < found; ++i) {
      const auto request = static_cast<std::size_t>(done_[i]);
      if (request + 1 == requests_.size()) {
        rank_0_ended_ = true;
        continue;
      }
      Wire& wire = wires_[request / 2];
      const bool broken = result == MPI_ERR_IN_STATUS && statuses_[i].MPI_ERROR != MPI_SUCCESS;
      if (request % 2 == 1) wire.is_sending = false;
      if (broken) {
        lose(wire);
      } else if (request % 2 == 0) {
        int size = 0;
        MPI_Get_count(&statuses_[i], MPI_BYTE, &size);
        hear(wire, static_cast<std::size_t>(size));
      }
    }
    return found > 0;
  }

  static void hear(Wire& wire, std::size_t size) {
    wire.taken = 0;
    wire.arrived = size;
    wire.peer_ended = size == 0;
    if (wire.peer_ended) shutdown(wire.socket, SHUT_WR);
  }
  // The rank at the other end is gone.
  static void lose(Wire& wire) {
    wire.peer_ended = wire.program_ended = true;
    wire.arrived = wire.taken = 0;
    shutdown(wire.socket, SHUT_RDWR);
  }

  bool ask_sockets() {
    std::vector<pollfd> files;
    for (const Wire& wire : wires_) {
      const bool reads = !wire.program_ended && !wire.is_sending;
      const int events = (reads ? POLLIN : 0) | (wire.taken < wire.arrived ? POLLOUT : 0);
      files.push_back(
          {.fd = events == 0 ? -1 : wire.socket, .events = static_cast<short>(events), .revents = 0});
    }
    const timespec most = patience(std::chrono::steady_clock::now() - last_);
    if (ppoll(files.data(), files.size(), &most, nullptr) <= 0) return false;
    for (std::size_t i = 0; i < wires_.size(); ++i) {
      if (files[i].revents == 0) continue;
      if ((files[i].events & POLLIN) != 0) read(i);
      if ((files[i].events & POLLOUT) != 0) write(i);
    }
    return true;
  }

  void read(std::size_t i) {
    Wire& wire = wires_[i];
    const ssize_t got = recv(wire.socket, wire.to_peer.data(), kPiece, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    wire.program_ended = got <= 0;
    send(i, static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  }

  // What nobody takes any more is passed over.
  void write(std::size_t i) {
    Wire& wire = wires_[i];
    const ssize_t put = ::send(wire.socket, wire.from_peer.data() + wire.taken, wire.arrived - wire.taken,
                               MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0 && (errno == EAGAIN || errno == EINTR)) return;
    wire.taken = put < 0 ? wire.arrived : wire.taken + static_cast<std::size_t>(put);
    if (wire.taken == wire.arrived && !wire.peer_ended) listen(i);
  }

  std::vector<Wire> wires_;
  bool rank_0_ended_;
  std::vector<MPI_Request> requests_;  // of each wire: what is received, what is sent; the end of rank 0
  std::vector<int> done_;              // of these
  std::vector<MPI_Status> statuses_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
  bool failed_ = false;
};

bool tell(const std::string& text, int file) {
  iovec bytes = {.iov_base = const_cast<char*>(text.data()), .iov_len = text.size()};
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof file)> room = {};
  if (file >= 0) {
    message.msg_control = room.data();
    message.msg_controllen = room.size();
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(head), &file, sizeof file);
  }
  return sendmsg(STDIN_FILENO, &message, MSG_NOSIGNAL) >= 0;
}

int ranks_here() {
  int here = 1;
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &here);
  MPI_Comm_free(&machine);
  return here;
}

// Where the wires of this rank lead: to rank 0, or from there to each process of the others.
std::vector<std::pair<int, int>> ends_of_wires(int rank, int size, int processes) {
  std::vector<int> all(static_cast<std::size_t>(size));
  MPI_Gather(&processes, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<std::pair<int, int>> ends;
  for (int peer = 0; peer < (rank == 0 ? size : 1); ++peer) {
    const int count = rank != 0 ? processes : peer == 0 ? 0 : all[static_cast<std::size_t>(peer)];
    for (int number = 0; number < count; ++number) ends.emplace_back(peer, number);
  }
  return ends;
}

// Both sides have one for each wire.
void raise_limit_of_files() {
  rlimit limit = {};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

bool carry(int processes) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int here = ranks_here();
  const auto ends = ends_of_wires(rank, size, processes);
  std::string head;
  for (const std::size_t number : {static_cast<std::size_t>(rank), static_cast<std::size_t>(size),
                                   static_cast<std::size_t>(here), ends.size()})
    head += std::to_string(number) + " ";
  if (!tell(head, -1)) return false;
  std::vector<Wire> wires;
  wires.reserve(ends.size());
  for (const auto& [peer, number] : ends) {
    std::array<int, 2> sockets = {-1, -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return false;
    if (!tell(std::to_string(peer), sockets[1])) return false;
    close(sockets[1]);
    wires.emplace_back(sockets[0], peer, number);
  }
  const bool is_carried = Cable(rank, std::move(wires)).run();
  // Who has nothing left to carry may leave only when all do: MPI has them wait for each other, which takes all of a core.
  for (int peer = 1; rank == 0 && is_carried && peer < size; ++peer)
    MPI_Send(nullptr, 0, MPI_BYTE, peer, kEnd, MPI_COMM_WORLD);
  return is_carried;
}

}  // namespace

int main(int argc, char** argv) {
  // It ends when its program does, which is who gets the signals; before there are wires, with it.
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  raise_limit_of_files();
  const int processes = argc > 1 ? std::atoi(argv[1]) : 1;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  prctl(PR_SET_PDEATHSIG, 0);
  if (!carry(processes)) {
    std::perror("plumb-mpi");
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  // Ranks that are gone are not waited for for ever.
  constexpr unsigned kSeconds = 20;
  alarm(kSeconds);
  MPI_Finalize();
  return 0;
}
