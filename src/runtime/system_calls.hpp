// The names of system calls in which a thread may wait.
#pragma once

#include <string>

namespace plumb::runtime {

std::string system_call_name(long number);

}  // namespace plumb::runtime
