// Files of the source as those who read reports elsewhere know them.
#pragma once

#include <string>
#include <string_view>

namespace plumb {

// A file below the folder is relative to it; others, and all where there is no folder, are as they are.
[[nodiscard]] inline std::string relative_to(std::string_view root, std::string_view file) {
  while (root.ends_with('/')) root.remove_suffix(1);
  if (!root.empty() && file.size() > root.size() + 1 && file.starts_with(root) && file[root.size()] == '/')
    file.remove_prefix(root.size() + 1);
  return std::string(file);
}

}  // namespace plumb
