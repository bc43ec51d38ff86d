// For who looks at whole executions, and not only at what goes wrong inside one: Line-Up. The program says where operations
// under test begin and end; the observer judges each execution after its end, also one in which nobody could go on.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "plumb/explore.hpp"

namespace plumb::engine {

class Observer {
 public:
  Observer() = default;
  Observer(const Observer&) = delete;
  Observer& operator=(const Observer&) = delete;
  virtual ~Observer() = default;

  // A sentence makes the execution a finding (of kind kCheck) and ends the search.
  virtual std::optional<std::string> judge(bool stuck) = 0;
  // False: what was found is enough, the trace (which takes longer than many an exploration) is not asked for.
  virtual bool wants_trace() const { return true; }
  // True ends the search after this execution: somebody asked it to.
  virtual bool enough() { return false; }
};

enum class Operations : std::uint8_t {
  kConcurrent,
  kSerial,  // none is called while another is open
  kAlone,   // one thread runs alone from a random moment on: can its operation end by itself?
};

Exploration explore(const std::function<void(Program&)>& program, const ExploreOptions& options,
                    Observer& observer, Operations operations);

// To be called by threads of the program. `operation` is for the trace.
void call_operation(std::uint32_t operation);
void return_from_operation(std::uint32_t operation);

// The first step of the last execution at which an operation may have to wait for another thread: a lock, a condition …
struct Waiting {
  std::uint32_t operation = 0;
  const char* what = nullptr;  // null: there was none
};
Waiting waiting_step();

}  // namespace plumb::engine
