// The recorder as Python holds it. Everything here is done under Python's lock, so a log is never used once the recorder is closed.
#pragma once

#include <pybind11/pybind11.h>

namespace plumb::python {

void add_recorder(pybind11::module_& module);

}  // namespace plumb::python
