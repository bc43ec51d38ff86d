// Function names to numbers, with the last few at hand: a history has few names and many operations. Codecs
// get their numbers here, because this is where too many names are an error.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <plumb/history.hpp>

namespace plumb {

class FunctionNames {
 public:
  // The number of a name in a builder, or nothing where that would be one name too many.
  std::optional<FunctionId> id(HistoryBuilder& builder, std::string_view name) {
    Recent& recent = recent_[slot(name)];
    if (recent.name == name && !name.empty()) return recent.id;
    const auto known = ids_.find(name);
    if (known == ids_.end() && ids_.size() == HistoryBuilder::kMaxFunctions) return std::nullopt;
    const FunctionId id = known != ids_.end() ? known->second : builder.function(name);
    if (known == ids_.end()) ids_.emplace(name, id);
    recent = {std::string(name), id};
    return id;
  }

  static Error too_many(Place place) {
    return Error{
        fmt::format("more than {} different functions in one history", HistoryBuilder::kMaxFunctions), place};
  }

  // For the next history of a file.
  void clear() { *this = FunctionNames(); }

 private:
  struct Recent {
    std::string name;
    FunctionId id = 0;
  };
  static std::size_t slot(std::string_view name) {
    if (name.empty()) return 0;
    const auto mix =
        name.size() * 5 + static_cast<unsigned char>(name.front()) + static_cast<unsigned char>(name.back());
    return mix % 16;
  }
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  std::array<Recent, 16> recent_;
  absl::flat_hash_map<std::string, FunctionId, TextHash, std::equal_to<>> ids_;
};

}  // namespace plumb
