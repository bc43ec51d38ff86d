#include "check/hitting/hitting_poset.hpp"

#include <algorithm>

#include <absl/container/flat_hash_map.h>

namespace plumb {

HittingPoset::HittingPoset(const Part& part) {
  const History& history = part.history->history();
  const auto end = static_cast<std::uint32_t>(part.events.size());
  absl::flat_hash_map<Value, std::vector<std::uint32_t>> chains_of;
  std::vector<std::uint32_t> last_of;  // by chain
  for (std::uint32_t at = 0; at < end; ++at) {
    const OperationId id = part.events[at].operation();
    if (part.events[at].is_return()) {
      operations[part.scratch[id]].ret = at;
      operations[part.scratch[id]].is_pending = false;
      continue;
    }
    part.scratch[id] = static_cast<std::uint32_t>(operations.size());
    auto& candidates = chains_of[history.process(id)];
    const auto free =
        std::ranges::find_if(candidates, [&](std::uint32_t c) { return operations[last_of[c]].ret < at; });
    const std::uint32_t chain = free == candidates.end() ? chains++ : *free;
    if (free == candidates.end()) candidates.push_back(chain);
    last_of.resize(chains);
    last_of[chain] = part.scratch[id];
    operations.push_back({id, chain, at, end, true});
  }
}

Concurrency concurrency_of(const Part& part) {
  Concurrency found;
  std::size_t open = 0;
  for (const Event event : part.events) {
    if (event.is_return()) {
      --open;
      continue;
    }
    found.pairs += open;
    found.level = std::max(found.level, ++open);
  }
  return found;
}

}  // namespace plumb
