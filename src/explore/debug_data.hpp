// What debug_*.cpp share: an index of the program's functions and variables.
#pragma once

#include <map>
#include <mutex>

#include "explore/debug_info.hpp"
#include "explore/dwarf.hpp"

namespace plumb::engine {

struct DebugInfo::Data {
  struct Function {
    Dwarf_Addr begin = 0;
    Dwarf_Addr end = 0;
    dwarf::Die die;
  };
  struct Global {
    std::uintptr_t address = 0;  // as in the file
    std::size_t size = 0;
    std::size_t offset = 0;  // of a variable that the compiler split: where this part belongs
    std::string name;
    dwarf::Die type;
    bool typed = false;
  };
  struct Line {
    SourcePlace place;
    bool standard = false;  // inside the standard library
    bool engine = false;    // inside plumb
  };

  std::mutex mutex;  // of all that is asked
  int file = -1;
  Dwarf* dwarf = nullptr;
  std::uintptr_t bias = 0;          // where the program is loaded
  std::vector<Function> functions;  // by address; one that is split stands here once for each part
  std::vector<Global> globals;      // by address
  std::map<std::uintptr_t, std::vector<Line>> lines;

  void find_all();
  void find_in(dwarf::Die scope);  // functions and variables
  void add_function(dwarf::Die die);
  void add_global(dwarf::Die die);
  void add_symbols();  // of objects without debug information

  const Function* function_at(Dwarf_Addr pc) const;
  const Global* global_at(std::uintptr_t address) const;
  const std::vector<Line>& lines_at(std::uintptr_t pc);
};

}  // namespace plumb::engine
