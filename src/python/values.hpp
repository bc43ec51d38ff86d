// Values of histories as objects of Python, and back: what JSON can say, and nothing else.
#pragma once

#include <string_view>

#include <pybind11/pybind11.h>

#include <plumb/value.hpp>

namespace plumb::python {

// None, booleans, integers of 64 bits, finite floats, strings, lists and tuples, dictionaries with strings as keys; what NumPy
// makes of these. Anything else raises plumb.InputError; `what` is for its message.
[[nodiscard]] Value to_value(pybind11::handle object, Values& values, std::string_view what);

[[nodiscard]] pybind11::object to_python(Value value, const Values& values);

}  // namespace plumb::python
