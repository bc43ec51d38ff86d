// What no part of the command expects, told as an error.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "base/exit_status.hpp"
#include "cli/console.hpp"

namespace plumb::cli {

// The status that `work()` gives, or that of an error if it throws.
template <class Work>
ExitStatus guarded(const Work& work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    Console(Color::kNever).error("plumb: out of memory");
  } catch (const std::exception& error) {
    Console(Color::kNever).error(std::string("plumb: internal error: ") + error.what());
  }
  return ExitStatus::kError;
}

}  // namespace plumb::cli
