#include "python/errors.hpp"

namespace plumb::python {

namespace py = pybind11;

void raise(const Error& error) {
  const auto known = [](std::uint32_t number) -> py::object {
    return number == 0 ? py::object(py::none()) : py::object(py::int_(number));
  };
  const py::object type = py::module_::import("plumb.errors").attr("InputError");
  const py::object file = error.file.empty() ? py::object(py::none()) : py::object(py::str(error.file));
  const py::object made = type(error.message, file, known(error.place.line), known(error.place.column));
  PyErr_SetObject(type.ptr(), made.ptr());
  throw py::error_already_set();
}

}  // namespace plumb::python
