// How much memory the process has, for programs that measure.
#pragma once

#include <fstream>

inline long resident_kilobytes() {
  std::ifstream file("/proc/self/statm");
  long pages = 0;
  file >> pages >> pages;
  return pages * 4;
}
