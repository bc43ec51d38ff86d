// Columns of Python as a history, without an object of Python per operation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <pybind11/pybind11.h>

#include "python/history.hpp"

namespace plumb::python {

// `columns`: process, f, call, return; and, where they are, args (a list of columns: first arguments, second, …), result, object, pending. With
// `functions` the column f has positions there. `arity`: how many arguments a function has; those of others are all of the columns.
[[nodiscard]] HeldHistory from_columns(const pybind11::dict& columns,
                                       const std::vector<std::string>& functions,
                                       const std::map<std::string, std::size_t>& arity,
                                       const std::string& model, pybind11::handle initial);

// How many arguments the operations of a built-in model have at most, by all of their names.
[[nodiscard]] std::map<std::string, std::size_t> arities_of(const std::string& model);

}  // namespace plumb::python
