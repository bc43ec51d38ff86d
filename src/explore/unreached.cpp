#include "explore/unreached.hpp"

#include <map>
#include <set>
#include <string>
#include <utility>

#include "explore/debug_info.hpp"
#include "runtime/reached_code.hpp"

namespace plumb::engine {
namespace {

constexpr std::size_t kMostCalls = 200'000;  // of hooks in a program: more would take too long to look up

// "Queue" of "Queue::Node::Node"; of a free function, its name.
std::string owner_of(const std::string& function) { return function.substr(0, function.find("::")); }

// What a test says in place is the test, not the class.
bool is_of_class(const SourcePlace& place) {
  return !place.function.empty() && !place.function.ends_with("lambda") &&
         place.file.find("/c++/") == std::string::npos;
}

}  // namespace

std::vector<SourcePlace> unreached_lines() {
  const std::vector<const void*> calls = runtime::calls_of_hooks();
  if (calls.size() > kMostCalls) return {};
  std::set<std::string> owners;
  std::map<std::pair<std::string, int>, std::pair<SourcePlace, bool>> lines;
  for (const void* const call : calls) {
    const auto places =
        DebugInfo::instance().places({{.pc = reinterpret_cast<std::uintptr_t>(call) - 1}}, nullptr);
    if (places.empty() || !is_of_class(places.front())) continue;
    const SourcePlace& place = places.front();
    const bool is_reached = runtime::reached(call) != 0;
    if (is_reached) owners.insert(owner_of(place.function));
    lines.try_emplace({place.file, place.line}, place, false).first->second.second |= is_reached;
  }
  std::vector<SourcePlace> unreached;
  for (const auto& [where, known] : lines) {
    const auto& [place, is_reached] = known;
    if (!is_reached && owners.contains(owner_of(place.function))) unreached.push_back(place);
  }
  return unreached;
}

}  // namespace plumb::engine
