#include "work/forked_worker.hpp"

#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace plumb::work {
namespace {

// Before a request, or alone: there are no more. Siblings hold copies of the connection: to
// close it would not be enough.
constexpr char kRequest = 'r';
constexpr char kNoMore = 'n';

}  // namespace

ForkedWorker::~ForkedWorker() {
  if (process_ <= 0) return;
  if (busy_) {
    drop();  // nobody waits for the answer
  } else {
    send_frame(file_, std::string(1, kNoMore));
  }
  (void)end();
}

bool ForkedWorker::start() {
  int ends[2] = {-1, -1};
  if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0) return false;
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);  // signals that the parent has a thread for
    close(ends[0]);
    serve(ends[1]);
  }
  close(ends[1]);
  file_ = ends[0];
  answers_.emplace(file_);
  return process_ > 0;
}

void ForkedWorker::serve(int file) const {
  FrameReader requests(file);
  std::string request;
  while (receive_frame(requests, request) && request.front() == kRequest) {
    if (!send_frame(file, work_(request.substr(1)))) break;
  }
  _exit(0);
}

int ForkedWorker::end() {
  close(file_);
  int status = 0;
  while (waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = -1;
  return WIFSIGNALED(status) ? WTERMSIG(status) : -WEXITSTATUS(status);
}

bool ForkedWorker::give(const std::string& request) {
  if (process_ <= 0 && !start()) return false;
  busy_ = true;
  send_frame(file_, kRequest + request);  // one that died meanwhile is noticed when its answer is taken
  return true;
}

Worker::State ForkedWorker::take(Answer& answer) {
  answer = {};
  switch (answers_->read(answer.text)) {
    case FrameReader::State::kMore:
      return State::kWorking;
    case FrameReader::State::kWhole:
      busy_ = false;
      return State::kAnswered;
    case FrameReader::State::kGone:
      break;
  }
  busy_ = false;
  answer.text.clear();
  answer.died = end();
  return State::kAnswered;
}

void ForkedWorker::drop() {
  if (process_ > 0) kill(process_, SIGKILL);  // its end is what can be read now
}

}  // namespace plumb::work
