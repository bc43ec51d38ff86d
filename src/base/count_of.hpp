// "1 operation", "3 operations": English plurals of what plumb counts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace plumb {

// "operation" or "operations".
[[nodiscard]] inline std::string noun_for(std::uint64_t count, std::string_view thing) {
  if (count == 1) return std::string(thing);
  if (thing.ends_with('s')) return std::string(thing) + "es";
  if (thing.ends_with('y')) return std::string(thing.substr(0, thing.size() - 1)) + "ies";
  return std::string(thing) + "s";
}

// "1 operation", "3 operations".
[[nodiscard]] inline std::string count_of(std::uint64_t count, std::string_view thing) {
  return std::to_string(count) + " " + noun_for(count, thing);
}

}  // namespace plumb
