// What the compiler's debug information (DWARF 4 and 5) says about this very program: which source lines an address in
// the code comes from, and which variable, and which member of it, stands at an address in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "explore/trace_recorder.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

// The thread that watches over an exploration asks, too (standstill.hpp), so each question is one at a time.
class DebugInfo {
 public:
  struct Data;

  static DebugInfo& instance();  // opened when first used
  DebugInfo(const DebugInfo&) = delete;
  DebugInfo& operator=(const DebugInfo&) = delete;

  // The lines of a stack, also those that functions were inlined into, innermost first; without the standard library and
  // plumb. `from`: a return address into the innermost frame that counts, or null.
  std::vector<SourcePlace> places(const CallStack& stack, const void* from);

  // The file of the innermost line, be it the standard library's; `pc` is a return address.
  std::string file(const void* pc);
  // Whether a function that is inlined there, or the one around them, has this in its name.
  bool is_within(const void* pc, std::string_view name);

  enum class Depth : std::uint8_t {
    kInnermost,  // the member that is accessed
    kWhole,      // what a pointer points to: the largest object that begins there
  };
  // "stack.top", "nodes[1].next"; empty: not known.
  std::string variable(std::uintptr_t address, Depth depth);                      // a global, or a static
  std::string variable(std::uintptr_t address, const Frame& frame, Depth depth);  // a local one of this frame

  // The member at `offset` of the type that `type_tag`, a variable of type pointer to it, tells: ".top".
  std::string member(const void* type_tag, std::size_t offset, Depth depth);

 private:
  DebugInfo();
  ~DebugInfo();
  std::unique_ptr<Data> data_;
};

}  // namespace plumb::engine
