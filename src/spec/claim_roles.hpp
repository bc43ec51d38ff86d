// Which operation of the built-in model each operation of a model is that claims its family.
#pragma once

#include <cstdint>
#include <vector>

#include <plumb/model.hpp>

namespace plumb {

// By the roles that are given; else by its name or an alias, if it is one that such operations often have. An operation
// that has no role in the family is an error; TestedClaim::kOutside for those that are said to stand outside.
[[nodiscard]] Result<std::vector<std::uint32_t>> match_roles(const Model& model, const Model& built_in);

}  // namespace plumb
