// What is said of an execution that does not come to its end: which thread is where, and in which system call.
#pragma once

#include <chrono>
#include <string>

#include "explore/execution.hpp"
#include "explore/observer.hpp"
#include "plumb/explore.hpp"
#include "runtime/watchdog.hpp"

namespace plumb::engine {

// While it stands there, said by the thread that watches: the last step that was seen tells the place.
std::string standing_text(const Execution& execution, const Observer* observer,
                          const runtime::Standstill& standstill);
// Of one that was interrupted: the very place, by its call stack.
void tell_interrupted(const Execution& execution, const Observer* observer,
                      const runtime::Standstill& standstill, Exploration& result);

// What watches over the executions of an exploration, and until when.
class Watch {
 public:
  Watch(const Execution& execution, const ExploreOptions& options, Observer* observer)
      : execution_(execution), options_(options), observer_(observer) {}

  // For what is left of the time.
  [[nodiscard]] runtime::WatchTerms terms() const;
  // Besides: to find the trace of what was found is worth a little more.
  [[nodiscard]] runtime::WatchTerms terms_for_trace() const;
  [[nodiscard]] bool asked() const { return options_.stop != nullptr && options_.stop->load(); }
  // There is so little time left that what is judged may not be judged to its end.
  [[nodiscard]] bool is_nearly_over() const;
  [[nodiscard]] std::string text(const runtime::Standstill& standstill) const {
    return standing_text(execution_, observer_, standstill);
  }
  // What ended it.
  [[nodiscard]] SearchEnd ended_by() const { return asked() ? SearchEnd::kStopped : SearchEnd::kTimeout; }

 private:
  using Time = std::chrono::steady_clock;

  const Execution& execution_;
  const ExploreOptions& options_;
  Observer* observer_;
  Time::time_point begin_ = Time::now();
};

}  // namespace plumb::engine
