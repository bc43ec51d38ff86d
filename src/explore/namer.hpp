// Names of objects and of values that point to objects.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "explore/debug_info.hpp"
#include "explore/trace.hpp"
#include "explore/trace_recorder.hpp"

namespace plumb::engine {

class Namer {
 public:
  explicit Namer(const std::vector<Name>& names) : names_(names) {}

  // `owner`: the stack frame that holds it, if one does.
  std::string object(std::uintptr_t address, const Frame& owner,
                     DebugInfo::Depth depth = DebugInfo::Depth::kInnermost);
  // `bytes`: how wide the value is.
  std::string value(std::uint64_t value, std::size_t bytes, const Frame& owner) const;

 private:
  // Empty: it is not.
  std::string known(std::uintptr_t address, const Frame& owner, DebugInfo::Depth depth) const;

  // An endless loop has thousands of steps, and all of them name the same few members.
  std::string member(const Name& name, std::size_t offset, DebugInfo::Depth depth) const;

  const std::vector<Name>& names_;
  mutable std::map<std::tuple<const void*, std::size_t, DebugInfo::Depth>, std::string> members_;
  std::vector<std::uintptr_t> seen_;
};

}  // namespace plumb::engine
