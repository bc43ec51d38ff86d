#include "runtime/program_data.hpp"

#include <cstring>

extern "C" {
extern char __plumb_data_start[] __attribute__((weak));
extern char __plumb_data_end[] __attribute__((weak));
}

namespace plumb::runtime {

char* ProgramData::begin() { return __plumb_data_start; }
std::size_t ProgramData::size() { return static_cast<std::size_t>(__plumb_data_end - __plumb_data_start); }

ProgramData::ProgramData() : saved_(begin(), begin() + size()) {}

void ProgramData::restore() const {
  if (!saved_.empty()) std::memcpy(begin(), saved_.data(), saved_.size());
}

}  // namespace plumb::runtime
