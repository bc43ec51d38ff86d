#include "check/hitting/hitting_family.hpp"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "check/hitting/hitting_sweep.hpp"

namespace plumb {
namespace {

// Every sequence of operations has a key of its own.
class Sequences {
 public:
  static std::uint32_t start() { return 0; }
  bool extend(std::uint32_t key, std::uint32_t operation, std::vector<std::uint32_t>& next) {
    const std::uint64_t longer = std::uint64_t{key} << 32U | operation;
    next.push_back(keys_.try_emplace(longer, static_cast<std::uint32_t>(keys_.size() + 1)).first->second);
    return true;
  }

 private:
  absl::flat_hash_map<std::uint64_t, std::uint32_t> keys_;
};

class Limit {
 public:
  explicit Limit(const Budget& budget) : budget_(budget) {}
  [[nodiscard]] bool spent(std::uint64_t work) const {
    constexpr std::uint64_t kMostWork = 5'000'000;
    return work > kMostWork || budget_.spent(0) != StopReason::kNothing;
  }

 private:
  const Budget& budget_;
};

// Tells of every schedule once. False where it gave up.
template <class Tell>
bool for_each_schedule(const HittingPoset& poset, unsigned depth, const Budget& budget, const Tell& tell) {
  Sequences sequences;
  const Limit limit(budget);
  HittingSweep<Sequences, const Limit> sweep(poset, sequences, limit);
  absl::flat_hash_set<std::uint32_t> told;
  for (std::uint32_t chain = 0; chain < poset.chains; ++chain) {
    sweep.forget_trails();
    for (const Partial& complete : sweep.run(chain, depth - 1, depth - 1)) {
      if (told.insert(complete.key).second) tell(sweep, complete);
    }
    if (sweep.gave_up()) return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<Schedule>> hitting_family(const HittingPoset& poset, unsigned depth,
                                                    const Budget& budget) {
  std::vector<Schedule> family;
  const bool whole = for_each_schedule(poset, depth, budget, [&](const auto& sweep, const Partial& complete) {
    family.push_back(sweep.schedule(complete));
  });
  return whole ? std::optional(std::move(family)) : std::nullopt;
}

std::optional<std::uint64_t> hitting_family_size(const HittingPoset& poset, unsigned depth,
                                                 const Budget& budget) {
  std::uint64_t size = 0;
  const bool whole = for_each_schedule(poset, depth, budget, [&](const auto&, const Partial&) { ++size; });
  return whole ? std::optional(size) : std::nullopt;
}

}  // namespace plumb
