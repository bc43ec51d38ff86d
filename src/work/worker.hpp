// Who does work: a worker is given a request, and answers some time later. A process of this machine
// (forked_worker.hpp), or one of a rank that may be anywhere (ranks.cpp).
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace plumb::work {

// What is done at every worker of a run. Told a request, gives the answer.
using Work = std::function<std::string(const std::string& request)>;

struct Answer {
  std::string text;
  std::optional<int> died;  // the process that worked, by this signal, or with this exit status (negative)
};

class Worker {
 public:
  enum class State { kWorking, kAnswered, kLost };

  Worker() = default;
  virtual ~Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  // False: the worker is lost, nobody works there any more.
  virtual bool give(const std::string& request) = 0;
  // There is something to be taken when it can be read.
  [[nodiscard]] virtual int file() const = 0;
  // Looks at what arrived.
  virtual State take(Answer& answer) = 0;
  // Nobody wants the answer any more: it, or an empty one, comes soon.
  virtual void drop() = 0;
  [[nodiscard]] virtual std::string name() const = 0;
};

}  // namespace plumb::work
