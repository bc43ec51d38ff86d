// Long work without Python's lock, which Ctrl-C ends.
//
// Python's handler of a signal only notes it; the exception is made when the main thread asks. So the work is done by a thread
// of its own, and the calling one waits for it and asks, often. Work that calls Python back is done by the calling thread
// itself: what it calls asks by itself, and takes the lock for that long.
#pragma once

#include <atomic>
#include <functional>

namespace plumb::python {

using Work = std::function<void(const std::atomic<bool>& stop)>;

// Raises what Ctrl-C raises, once the work has ended; it is asked to by `stop`.
void run_interruptibly(const Work& work);

}  // namespace plumb::python
