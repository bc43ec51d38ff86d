#include "explore/namer.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "explore/debug_info.hpp"

namespace plumb::engine {
namespace {

std::string block_name(std::uintptr_t address) {
  const auto place = runtime::Arena::instance().place(reinterpret_cast<const void*>(address));
  if (!place.known) return "";
  return fmt::format("block {}.{}{}", place.thread, place.block + 1,
                     place.offset == 0 ? "" : fmt::format("+{}", place.offset));
}

}  // namespace

std::string Namer::member(const Name& name, std::size_t offset, DebugInfo::Depth depth) const {
  const auto [found, added] = members_.try_emplace({name.type_tag, offset, depth});
  if (added) found->second = DebugInfo::instance().member(name.type_tag, offset, depth);
  return found->second;
}

std::string Namer::known(std::uintptr_t address, const Frame& owner, DebugInfo::Depth depth) const {
  const auto* at = reinterpret_cast<const char*>(address);
  for (const Name& name : names_) {
    if (at >= name.address && at < name.address + name.size) {
      return name.name + member(name, static_cast<std::size_t>(at - name.address), depth);
    }
  }
  if (std::string block = block_name(address); !block.empty()) return block;
  if (std::string global = DebugInfo::instance().variable(address, depth); !global.empty()) return global;
  return DebugInfo::instance().variable(address, owner, depth);
}

std::string Namer::object(std::uintptr_t address, const Frame& owner, DebugInfo::Depth depth) {
  if (address == 0) return "";
  if (std::string name = known(address, owner, depth); !name.empty()) return name;
  auto found = std::find(seen_.begin(), seen_.end(), address);
  if (found == seen_.end()) found = seen_.insert(seen_.end(), address);
  return fmt::format("object {}", found - seen_.begin() + 1);
}

std::string Namer::value(std::uint64_t value, std::size_t bytes, const Frame& owner) const {
  constexpr std::uint64_t kSmall = std::uint64_t{1} << 16U;
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 40U;
  if (bytes >= sizeof(void*) && value >= kSmall) {
    if (const std::string name = known(value, owner, DebugInfo::Depth::kWhole); !name.empty())
      return name.starts_with("block ") ? name : "&" + name;
  }
  // Numbers near the top of their range are small negative ones.
  const unsigned unused = bytes < sizeof value ? static_cast<unsigned>((sizeof value - bytes) * 8) : 0;
  const auto with_sign = static_cast<std::int64_t>(value << unused) >> unused;
  if (bytes > 1 && with_sign < 0 && with_sign > -static_cast<std::int64_t>(kSmall) / 2)
    return fmt::format("{}", with_sign);
  return value < kLarge ? fmt::format("{}", value) : fmt::format("{:#x}", value);
}

}  // namespace plumb::engine
