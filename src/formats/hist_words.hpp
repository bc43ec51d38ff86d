// The words of the format hist, for its reader and its writer.
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>

namespace plumb::hist {

inline constexpr std::string_view kObject = "@object";
inline constexpr std::string_view kName = "@name";
inline constexpr std::string_view kAtomic = "atomic-";

// A function that takes nothing, because it removes; some files write what it removed as its argument.
[[nodiscard]] bool is_removal(std::string_view model, std::string_view function);
// What a bare "return" means: of a removal that does not say what it removed, that there was nothing.
[[nodiscard]] HistoryBuilder::Completed bare_return(std::string_view model, std::string_view function);

[[nodiscard]] Value parse_value(std::string_view text, Values& values);
[[nodiscard]] Value parse_result(std::string_view text, Values& values);
// The parts between commas; those inside brackets of any kind do not divide: ?<0,1> is one value.
[[nodiscard]] std::vector<std::string_view> split_arguments(std::string_view text);

}  // namespace plumb::hist
