// What a program under exploration is run by, as the program itself sees it: besides what hooks ask (runtime/control.hpp), it waits for its
// threads, and tells where operations under test begin and end. The engine of schedules is one (execution.hpp), the search of states
// another (states/machine.hpp).
#pragma once

#include <cstdint>

#include "runtime/control.hpp"

namespace plumb::engine {

class Host : public runtime::Control {
 public:
  virtual void wait_for_all(const void* frame) = 0;  // that of the function which the program called for that
  // Points at which operations under test begin and end: the orders of returns and calls are explored.
  virtual void call_operation(std::uint32_t operation) = 0;
  virtual void return_from_operation(std::uint32_t operation, std::uint64_t result) = 0;
  // Whether what operations do is to be written down: an execution is run from its beginning to its end.
  virtual bool records_history() const { return true; }
};

}  // namespace plumb::engine
