// A place where work is done: it is given a request, and answers some time later. A process of this machine
// (forked_seat.hpp), or one of a rank that may be anywhere (ranks.cpp).
#pragma once

#include <functional>
#include <optional>
#include <string>

namespace plumb::work {

// What is done at every seat of a run. Told a request, gives the answer.
using Work = std::function<std::string(const std::string& request)>;

struct Answer {
  std::string text;
  std::optional<int> died;  // the process that worked, by this signal, or with this exit status (negative)
};

class Seat {
 public:
  enum class State { kWorking, kAnswered, kLost };

  Seat() = default;
  virtual ~Seat() = default;
  Seat(const Seat&) = delete;
  Seat& operator=(const Seat&) = delete;

  // False: the seat is lost, nobody works there any more.
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
