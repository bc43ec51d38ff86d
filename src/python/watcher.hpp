// The watcher as Python holds it: events in, an alarm as soon as a violation is certain.
#pragma once

#include <pybind11/pybind11.h>

namespace plumb::python {

void add_watcher(pybind11::module_& module);

}  // namespace plumb::python
