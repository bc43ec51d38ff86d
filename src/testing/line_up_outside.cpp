// A deadlock in which no operation is open. What the object does in threads of its own until it is destroyed cannot be run: run() waits
// for them, too. But threads that ended without the destructor when the operations came one after another are to do so always.
#include "testing/line_up.hpp"

namespace plumb::testing {

std::string LineUp::judge_outside() {
  kind_ = "stuck";
  if (!engine::waits_for_threads())
    return "deadlock: no thread is enabled, and no operation is open: a constructor or destructor blocks";
  if (phase_ == engine::ExplorationMode::kConcurrent && !given_ && tree_.full() > 0)
    return "deadlock: threads that the object started never end, where they do in serial runs: no thread is "
           "enabled, and no operation is open";
  kind_ = "error";
  return "a thread that the object started has not ended after all operations have returned, and waits: "
         "plumb destroys the object only after all threads have ended, so a thread that the destructor is to "
         "end cannot be tested";
}

}  // namespace plumb::testing
