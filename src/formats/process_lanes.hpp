// Processes for operations whose client may run several at a time: a client that never does is one process; one that does becomes as
// many lanes as are needed, none of which is the client. A call that never returns does not keep it: it stands apart, unless it is the last.
#pragma once

#include <cstddef>
#include <vector>

#include <plumb/history.hpp>

namespace plumb {

struct ClientOperation {
  Value client;
  Time call = 0;
  Time ret = kNever;
};

// One per operation.
[[nodiscard]] std::vector<Value> processes_of(const std::vector<ClientOperation>& operations, Values& values);

}  // namespace plumb
