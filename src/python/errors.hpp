// Errors of the library as exceptions of Python: plumb.InputError, with the place.
#pragma once

#include <utility>

#include <pybind11/pybind11.h>

#include <plumb/result.hpp>

namespace plumb::python {

[[noreturn]] void raise(const Error& error);

// What a function of the library gives, or its error raised.
template <class T>
T taken(Result<T> result) {
  if (!result) raise(result.error());
  return std::move(result).value();
}

}  // namespace plumb::python
