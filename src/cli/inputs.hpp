// Which files the arguments mean: a file, "-", or a folder with every history below it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <plumb/result.hpp>

namespace plumb::cli {

struct Inputs {
  std::vector<std::variant<std::string, Error>>
      entries;                           // in the order of the arguments; a folder's files sorted
  std::vector<std::string> passed_over;  // files in folders whose names are no histories' names
};

[[nodiscard]] Inputs find_inputs(const std::vector<std::string>& arguments);

// What is said of a history without operations, which is more often a mistake than meant;
// `alone` in its file or not.
[[nodiscard]] std::string no_operations(std::string_view file, std::size_t index, bool alone);

// Whether a file in a folder is taken for a history, by the ending of its name.
[[nodiscard]] bool has_history_name(std::string_view path);

}  // namespace plumb::cli
