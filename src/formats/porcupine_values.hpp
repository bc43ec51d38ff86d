// What the Input and Output of Porcupine's operations mean: they are structs of the user's own program, so this knows only names
// that speak for themselves, and refuses the others.
#pragma once

#include <string>
#include <vector>

#include <plumb/history.hpp>
#include <plumb/result.hpp>

namespace plumb {

struct PorcupineCall {
  std::string function;
  std::vector<Value> args;
};

struct PorcupineReturn {
  bool is_known = true;  // false: nobody saw whether and how it ended
  HistoryBuilder::Completed completed;
};

// The error is a sentence; the caller knows the place.
[[nodiscard]] Result<PorcupineCall> porcupine_call(Value input, const Values& values);
[[nodiscard]] Result<PorcupineReturn> porcupine_return(const std::string& function, Value output,
                                                       const Values& values);

}  // namespace plumb
