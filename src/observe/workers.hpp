// Work handed out to processes: what the engine runs takes over memory and threads of its process, so that two at a time
// need two processes. Each item goes to the next process that is free; a process that dies is replaced, and its item says so.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

namespace plumb::observe {

struct WorkDone {
  std::size_t item = 0;
  std::string answer;
  std::optional<int> died;  // by this signal, or with this exit status (negative), before it answered
};

// Runs `work` for the items 0 … count − 1 in `processes` processes, and `done` here for each as it ends, in any order.
// `done` returns how many items are still wanted: items from there on are not begun.
void run_in_processes(std::size_t count, unsigned processes,
                      const std::function<std::string(std::size_t)>& work,
                      const std::function<std::size_t(WorkDone)>& done);

}  // namespace plumb::observe
