#include "runtime/program_data.hpp"

#include <cstring>

#include "runtime/arena.hpp"
#include "runtime/fiber.hpp"

extern "C" {
extern char __plumb_data_start[] __attribute__((weak));
extern char __plumb_data_end[] __attribute__((weak));
extern char __executable_start[];
extern char _end[];
}

namespace plumb::runtime {

char* ProgramData::begin() { return __plumb_data_start; }
std::size_t ProgramData::size() { return static_cast<std::size_t>(__plumb_data_end - __plumb_data_start); }

bool ProgramData::in_program(const void* address) {
  const auto* at = static_cast<const char*>(address);
  return Arena::owns(at) || Fibers::on_stack(at) || (at >= __executable_start && at < _end);
}

ProgramData::ProgramData() : saved_(begin(), begin() + size()) {}

void ProgramData::restore() const {
  if (!saved_.empty()) std::memcpy(begin(), saved_.data(), saved_.size());
}

}  // namespace plumb::runtime
