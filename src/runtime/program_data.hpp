// The writable data of the instrumented objects (globals, statics, guards of statics), put back before each execution.
// The linker gathers it between two symbols: cmake/instrumented.ld. A program linked without that script has no such
// symbols; then nothing is put back, and a test that depends on it is reported as nondeterministic.
#pragma once

#include <cstddef>
#include <vector>

namespace plumb::runtime {

class ProgramData {
 public:
  ProgramData();  // remembers the data as it is now
  void restore() const;
  static char* begin();
  static std::size_t size();
  // Memory of the code under test: the program's own data, the arena, stacks of fibers; not that of shared libraries.
  static bool in_program(const void* address);

 private:
  std::vector<char> saved_;
};

}  // namespace plumb::runtime
