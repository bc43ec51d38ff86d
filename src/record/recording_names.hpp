// What a recording says of itself, beside its operations: the model, the functions, where it ends.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <plumb/result.hpp>

#include "record/log_cursor.hpp"

namespace plumb {

struct RecordingNames {
  struct Function {
    std::string name;
    std::string object;  // empty: none
    bool known = false;
  };
  std::string model;
  std::string initial;  // as JSON; empty: null
  std::uint64_t start = 0;
  std::uint64_t ends = ~std::uint64_t{0};  // what was called later is not known
  std::vector<Function> functions;         // by their numbers
  bool begun = false;                      // all but the functions and the end is known

  // Takes in the slots of a log that has no operations, as far as it was measured.
  [[nodiscard]] Status read(const LogExtent& extent);
  [[nodiscard]] bool knows(std::uint32_t function) const {
    return function < functions.size() && functions[function].known;
  }
  [[nodiscard]] bool has_objects() const;

 private:
  [[nodiscard]] Status read(const LogBlockView& block, std::size_t slot);
};

}  // namespace plumb
