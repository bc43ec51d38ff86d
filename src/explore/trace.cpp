#include "explore/trace.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace plumb::engine {
namespace {

class Namer {
 public:
  explicit Namer(const std::vector<Name>& names) : names_(names) {}

  std::string operator()(const void* address) {
    if (address == nullptr) return "";
    const auto* at = static_cast<const char*>(address);
    for (const Name& name : names_) {
      if (at == name.address) return name.name;
      if (at > name.address && at < name.address + name.size)
        return fmt::format("{}+{}", name.name, at - name.address);
    }
    if (const auto place = runtime::Arena::instance().place(address); place.known) {
      return fmt::format("block {}.{}{}", place.thread, place.block,
                         place.offset == 0 ? "" : fmt::format("+{}", place.offset));
    }
    auto found = std::find(seen_.begin(), seen_.end(), address);
    if (found == seen_.end()) found = seen_.insert(seen_.end(), address);
    return fmt::format("object {}", found - seen_.begin() + 1);
  }

 private:
  const std::vector<Name>& names_;
  std::vector<const void*> seen_;
};

}  // namespace

std::vector<TraceStep> make_trace(const std::vector<Event>& events, const std::vector<Name>& names) {
  Namer namer(names);
  std::vector<TraceStep> trace;
  for (const Event& event : events) {
    const bool fence = event.step.kind == runtime::StepKind::kFence;
    const bool atomic = event.step.kind < runtime::StepKind::kFence;
    trace.push_back({.thread = event.thread,
                     .what = runtime::kind_name(event.step.kind),
                     .object = namer(event.step.address),
                     .order = atomic || fence ? runtime::order_name(event.step.order) : "",
                     .before = event.before,
                     .after = event.after,
                     .atomic = atomic,
                     .changed = event.wrote,
                     .code = reinterpret_cast<std::uintptr_t>(event.step.pc)});
  }
  return trace;
}

}  // namespace plumb::engine
