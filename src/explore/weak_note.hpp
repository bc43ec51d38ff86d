// A sentence about a read along a graph, or a fence, for the trace: that it returned an older value, and why it was not made to see the newer
// one; or with what it synchronises.
#pragma once

#include <string>

#include "explore/namer.hpp"
#include "explore/weak_read.hpp"

namespace plumb::engine {

// Empty: there is nothing to say. `size`: of the value in bytes.
std::string weak_note(const WeakRead& read, std::size_t size, Namer& namer);

}  // namespace plumb::engine
