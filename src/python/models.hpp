// Models as Python holds them: built in, of a C++ file, or written in Python (python_model.hpp).
#pragma once

#include <memory>
#include <string>

#include <pybind11/pybind11.h>

#include <plumb/model.hpp>

#include "python/history.hpp"

namespace plumb::python {

class Callbacks;

struct HeldModel {
  std::shared_ptr<const Model> model;
  bool is_any = false;                             // of a history without operations that names none
  std::shared_ptr<Callbacks> callbacks = nullptr;  // of one that calls Python
};

[[nodiscard]] HeldModel model_by_name(const std::string& name);
// As --spec of the command.
[[nodiscard]] HeldModel model_of_file(const std::string& path);
// The one that the history names; otherwise an error that says which would fit.
[[nodiscard]] HeldModel model_of(const HeldHistory& held);

}  // namespace plumb::python
