// What code without hooks wrote (survey.hpp), with names, and as a person reads it.
#include "explore/unwatched.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "explore/debug_info.hpp"
#include "explore/namer.hpp"
#include "explore/observer.hpp"
#include "explore/survey.hpp"

namespace plumb::engine {
namespace {

constexpr std::size_t kMostLines = 8;

bool is_standard(const SourcePlace& place) { return place.file.find("/include/c++/") != std::string::npos; }

// The line of the program that comes next, or else the one before.
struct Near {
  const char* side = "";
  SourcePlace place;
};
Near near(const UnhookedWrite& write) {
  DebugInfo& debug = DebugInfo::instance();
  if (write.after != nullptr) {
    if (auto places = debug.places(write.stack, write.after); !places.empty() && !is_standard(places.front()))
      return {.side = "before", .place = std::move(places.front())};
  }
  if (write.before != nullptr) {
    const std::uintptr_t pc = reinterpret_cast<std::uintptr_t>(write.before) - 1;
    if (auto places = debug.places({{.pc = pc}}, nullptr); !places.empty() && !is_standard(places.front()))
      return {.side = "after", .place = std::move(places.front())};
  }
  return {};
}

bool is_block(const std::string& place) { return place.starts_with("block "); }

// What begins at the address, or holds it: of a number often only some of its bytes change.
std::string place_name(const UnhookedWrite& write, Namer& namer) {
  constexpr std::uintptr_t kWord = sizeof(void*);
  std::string name = namer.object(write.address, write.owner);
  if (is_block(name)) return namer.object(write.address / kWord * kWord, write.owner);
  if (const std::size_t offset = name.rfind('+'); offset != std::string::npos) name.resize(offset);
  return name;
}

UnwatchedWrite named(const UnhookedWrite& write, Namer& namer, const Observer* observer) {
  UnwatchedWrite result{.by = {}, .place = place_name(write, namer), .where = {}};
  const auto [side, place] = near(write);
  if (place.line != 0) {
    result.where = fmt::format("{} {}:{} {}", side, place.file.substr(place.file.rfind('/') + 1), place.line,
                               place.function);
  }
  if (observer != nullptr && write.operation) {
    result.by = observer->operation_name(*write.operation);
  } else {
    result.by = place.function.empty() ? fmt::format("thread {}", write.thread) : place.function;
  }
  return result;
}

}  // namespace

void add_unwatched(const std::vector<UnwatchedWrite>& more, std::vector<UnwatchedWrite>& all) {
  for (const UnwatchedWrite& write : more) {
    // Blocks have no names but numbers: one that is written at that line stands for all.
    const auto same = [&](const UnwatchedWrite& other) {
      const bool blocks = is_block(write.place) && is_block(other.place) && write.where == other.where;
      return other.by == write.by && (other.place == write.place || blocks);
    };
    if (std::ranges::none_of(all, same)) all.push_back(write);
  }
}

void add_unwatched(const Survey& survey, const std::vector<Name>& names, const Observer* observer,
                   std::vector<UnwatchedWrite>& all) {
  Namer namer(names);
  for (const UnhookedWrite& write : survey.found()) {
    // What is between two operations under test is no code of theirs.
    if (observer == nullptr || write.operation) add_unwatched({named(write, namer, observer)}, all);
  }
}

std::string unwatched_text(const std::vector<UnwatchedWrite>& writes) {
  std::string out;
  for (const UnwatchedWrite& write : writes) {
    if (&write == &writes.front() + kMostLines) {
      out += fmt::format("not watched: {} more places that code without hooks writes\n",
                         writes.size() - kMostLines);
      break;
    }
    out += fmt::format("not watched: {} writes {} by code without hooks{}: races on it are not seen\n",
                       write.by, write.place, write.where.empty() ? "" : fmt::format(" ({})", write.where));
  }
  return out;
}

}  // namespace plumb::engine
