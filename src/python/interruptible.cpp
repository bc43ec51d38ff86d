#include "python/interruptible.hpp"

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

#include <pybind11/pybind11.h>

namespace plumb::python {

namespace py = pybind11;

namespace {

constexpr auto kBetweenLooks = std::chrono::milliseconds(20);

class Worker {
 public:
  explicit Worker(const Work& work) : thread_([this, &work] { run(work); }) {}

  // False: not yet.
  bool wait() {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, kBetweenLooks, [this] { return done_; });
  }
  void stop() { stop_ = true; }
  void finish() {
    thread_.join();
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  void run(const Work& work) {
    try {
      work(stop_);
    } catch (...) {
      failure_ = std::current_exception();
    }
    const std::scoped_lock lock(mutex_);
    done_ = true;
    ended_.notify_one();
  }

  std::atomic<bool> stop_ = false;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::exception_ptr failure_;
  std::thread thread_;  // the last: it uses all the others
};

}  // namespace

void run_interruptibly(const Work& work) {
  bool interrupted = false;
  {
    Worker worker(work);
    PyThreadState* state = PyEval_SaveThread();
    while (!worker.wait()) {
      if (interrupted) continue;
      PyEval_RestoreThread(state);
      interrupted = PyErr_CheckSignals() != 0;
      state = PyEval_SaveThread();
      if (interrupted) worker.stop();
    }
    PyEval_RestoreThread(state);
    worker.finish();
  }
  if (interrupted) throw py::error_already_set();
}

}  // namespace plumb::python
