// The quick way through the native format: a line with nothing but the six usual members, in any order, with
// plain numbers and plain strings. Whatever else a line has, it is left to the general reader; so this knows
// no errors.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include <plumb/history.hpp>

namespace plumb {

struct NativeOperation {
  Value process;
  std::string_view function;  // in the line
  std::array<Value, 4> arguments;
  std::size_t arity = 0;
  HistoryBuilder::Completed completed;
  Value object;  // null where the line names none
  Time call = 0;
  Time ret = 0;

  [[nodiscard]] std::span<const Value> args() const { return {arguments.data(), arity}; }
};

// Whether the line is such an operation, which `op` then holds. kQuickSlack bytes after it must be readable.
[[nodiscard]] bool scan_native_line(std::string_view line, Values& values, NativeOperation& op);

}  // namespace plumb
