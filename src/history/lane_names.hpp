// Names of processes that are nobody's: places that a reader made for the operations of a client that ran several at a time. That one of
// them follows another one there says nothing about who called it, so only times order them. The name says so, wherever it is written.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include <plumb/history.hpp>

#include "history/text.hpp"

namespace plumb {

inline constexpr std::string_view kLane = " (lane ";

[[nodiscard]] inline std::string lane_name(std::string_view client, std::size_t lane) {
  return fmt::format("{}{}{})", client, kLane, lane);
}

[[nodiscard]] inline bool is_in_lane(const History& history, OperationId id) {
  const Values& values = history.values();
  if (values.kind(history.process(id)) != ValueKind::kString) return false;
  std::string_view name = values.as_string(history.process(id));
  const std::size_t at = name.rfind(kLane);
  if (at == std::string_view::npos || !name.ends_with(')')) return false;
  name.remove_suffix(1);
  name.remove_prefix(at + kLane.size());
  return !name.empty() && name.find_first_not_of("0123456789") == std::string_view::npos;
}

}  // namespace plumb
