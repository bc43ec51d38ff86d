#include "explore/weak_note.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explore/debug_info.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {
namespace {

std::string place_of(const void* pc) {
  if (pc == nullptr) return {};
  const auto places =
      DebugInfo::instance().places({{.pc = reinterpret_cast<std::uintptr_t>(pc) - 1}}, nullptr);
  if (places.empty()) return {};
  const std::string& file = places.front().file;
  return fmt::format("{}:{}", file.substr(file.rfind('/') + 1), places.front().line);
}

// " (queue.hpp:31)", of a return address; empty where that is not known.
std::string place_in_brackets(const void* pc) {
  const std::string place = place_of(pc);
  return place.empty() ? "" : fmt::format(" ({})", place);
}

std::string place_and_order(const WeakRead::Access& access) {
  const std::string place = place_of(access.pc);
  return fmt::format("({}{}{})", place, place.empty() ? "" : ", ", runtime::order_name(access.order));
}

// What would have made the read see it.
std::string reason(const WeakRead& read) {
  if (!read.link_load.is_known()) return "nothing that it read before comes after that";
  const std::string_view needs = read.link_acquires   ? "that store would have to release"
                                 : read.link_releases ? "that load would have to acquire"
                                                      : "they would have to acquire and release";
  return fmt::format("the load {} of what thread {} stored later {} does not synchronise, {}",
                     place_and_order(read.link_load), read.link_store.thread,
                     place_and_order(read.link_store), needs);
}

// "thread 1 (queue.hpp:31)", "the fence of thread 2 (queue.hpp:40)"
std::string releaser(const WeakRead::Access& access) {
  return fmt::format("{}thread {}{}", access.is_fence ? "the fence of " : "", access.thread,
                     place_in_brackets(access.pc));
}

std::string synchronisation(const WeakRead& read) {
  if (read.synchronises_with.empty()) return {};
  std::vector<std::string> releasers;
  for (const WeakRead::Access& each : read.synchronises_with) releasers.push_back(releaser(each));
  return fmt::format("synchronises with {}", fmt::join(releasers, " and "));
}

}  // namespace

std::string weak_note(const WeakRead& read, std::size_t size, Namer& namer) {
  if (!read.newer.is_known()) return synchronisation(read);
  std::string source = ", the initial one";
  if (read.source.is_known())
    source = fmt::format(", of thread {}{}", read.source.thread, place_in_brackets(read.source.pc));
  const std::string others = read.unseen > 1 ? fmt::format(", {} newer ones in all", read.unseen) : "";
  return fmt::format("an older value{}: thread {} stored {} before{}{}; {}", source, read.newer.thread,
                     size > sizeof read.newer.value ? "another" : namer.value(read.newer.value, size, {}),
                     place_in_brackets(read.newer.pc), others, reason(read));
}

}  // namespace plumb::engine
