// A model given as a C++ file (`--spec file.cpp`): compiled with the system compiler, kept in a cache,
// loaded.
#pragma once

#include <memory>
#include <string>

#include <plumb/model.hpp>
#include <plumb/result.hpp>

namespace plumb {

// The file defines a class and PLUMB_MODEL(Class, model) { … }, see <plumb/object_model.hpp>. The code of a
// loaded file stays in memory until the end of the program.
[[nodiscard]] Result<std::shared_ptr<const Model>> load_spec(const std::string& path);

}  // namespace plumb
