// A history as Python holds it, and how one is made there: of files and bytes, of operations.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include <plumb/history.hpp>

namespace plumb::python {

// A history and where it comes from.
struct HeldHistory {
  std::shared_ptr<const History> history;
  std::string file = {};
  std::size_t index = 0;  // in its file
  bool alone = true;      // the only one of its file
};

// Every history of a file, or of its bytes, in any format of the command.
[[nodiscard]] std::vector<HeldHistory> read_file(const std::string& path, const std::string& format);
[[nodiscard]] std::vector<HeldHistory> read_bytes(const pybind11::bytes& bytes, const std::string& format,
                                                  const std::string& name);

// Operations: dictionaries with the fields of the format jsonl, or tuples of them in that order: process, f, args, result, call,
// return. A model of "" and an initial value of None are none.
[[nodiscard]] HeldHistory from_operations(const pybind11::iterable& operations, const std::string& model,
                                          pybind11::handle initial);

// One operation as a dictionary with the fields of jsonl; "result" only where there is one, "object" likewise.
[[nodiscard]] pybind11::dict operation_of(const HeldHistory& held, std::size_t index);

[[nodiscard]] std::string text_of(const HeldHistory& held, const std::string& format);
void write_all(const std::vector<HeldHistory>& histories, const std::string& path, const std::string& format);

}  // namespace plumb::python
