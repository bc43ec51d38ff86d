#include "observe/workers.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <memory>
#include <vector>

namespace plumb::observe {
namespace {

bool write_all(int file, const void* data, std::size_t size) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const ssize_t wrote = write(file, at, size);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    at += wrote;
    size -= static_cast<std::size_t>(wrote);
  }
  return true;
}

bool read_all(int file, void* data, std::size_t size) {
  auto* at = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t got = read(file, at, size);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

// A child that waits for numbers of items and answers each with a text.
class Worker {
 public:
  explicit Worker(const std::function<std::string(std::size_t)>& work) {
    int down[2] = {-1, -1};
    int up[2] = {-1, -1};
    if (pipe(down) != 0 || pipe(up) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      close(down[1]);
      close(up[0]);
      serve(down[0], up[1], work);
    }
    close(down[0]);
    close(up[1]);
    to_ = down[1];
    from_ = up[0];
  }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  ~Worker() {
    // Its siblings hold copies of the pipe: to close it would not be enough.
    if (process_ > 0) (void)write_all(to_, &kNoMore, sizeof kNoMore);
    close(to_);
    close(from_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
  }

  [[nodiscard]] bool running() const { return process_ > 0; }
  [[nodiscard]] int file() const { return from_; }
  [[nodiscard]] bool busy() const { return busy_; }
  void give(std::uint64_t item) {
    item_ = item;
    busy_ = write_all(to_, &item, sizeof item);
  }
  // What it answered; it is free then. A worker that died cannot be used any more.
  WorkDone take() {
    busy_ = false;
    WorkDone done;
    done.item = item_;
    std::uint64_t size = 0;
    if (read_all(from_, &size, sizeof size)) {
      done.answer.resize(size);
      if (read_all(from_, done.answer.data(), size)) return done;
    }
    int status = 0;
    waitpid(process_, &status, 0);
    process_ = -1;
    done.died = WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
    return done;
  }

 private:
  [[noreturn]] static void serve(int from, int to, const std::function<std::string(std::size_t)>& work) {
    std::uint64_t item = 0;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (read_all(from, &item, sizeof item) && item != kNoMore) {
      const std::string answer = work(item);
      const std::uint64_t size = answer.size();
      if (!write_all(to, &size, sizeof size) || !write_all(to, answer.data(), size)) break;
    }
    _exit(0);
  }

  static constexpr std::uint64_t kNoMore = ~std::uint64_t{0};

  pid_t process_ = -1;
  int to_ = -1;
  int from_ = -1;
  std::uint64_t item_ = 0;
  bool busy_ = false;
};

}  // namespace

void run_in_processes(std::size_t count, unsigned processes,
                      const std::function<std::string(std::size_t)>& work,
                      const std::function<std::size_t(WorkDone)>& done) {
  std::vector<std::unique_ptr<Worker>> workers(std::min<std::size_t>(processes, count));
  std::size_t next = 0;
  for (;;) {
    std::vector<pollfd> waiting;
    std::vector<Worker*> busy;
    for (auto& worker : workers) {
      if (next < count && (!worker || !worker->running())) worker = std::make_unique<Worker>(work);
      if (next < count && worker->running() && !worker->busy()) worker->give(next++);
      if (!worker || !worker->busy()) continue;
      waiting.push_back({.fd = worker->file(), .events = POLLIN, .revents = 0});
      busy.push_back(worker.get());
    }
    if (busy.empty()) return;
    if (poll(waiting.data(), waiting.size(), -1) < 0) continue;  // a signal
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (waiting[i].revents != 0) count = std::min(count, done(busy[i]->take()));
    }
  }
}

}  // namespace plumb::observe
