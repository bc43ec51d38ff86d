// The table of workloads.
#include "spec/workload.hpp"

#include <algorithm>

#include "spec/models.hpp"

namespace plumb {
namespace {

struct Entry {
  std::string_view model;
  std::unique_ptr<Workload> (*make)(const Setting&);
  bool has_profiles;
};

constexpr std::array kWorkloads = {
    Entry{"register", register_workload, false},
    Entry{"counter", counter_workload, false},
    Entry{"queue", queue_workload, true},
    Entry{"stack", stack_workload, true},
    Entry{"deque", deque_workload, true},
    Entry{"priority-queue", priority_queue_workload, true},
    Entry{"set", set_workload, true},
    Entry{"multiset", multiset_workload, true},
    Entry{"map", map_workload, false},
    Entry{"kv-append", kv_append_workload, false},
    Entry{"mutex", mutex_workload, false},
    Entry{"multi-register", multi_register_workload, false},
    Entry{"semaphore", semaphore_workload, false},
};

const Entry* find(std::string_view model) {
  const auto* it = std::ranges::find(kWorkloads, model, &Entry::model);
  return it == kWorkloads.end() ? nullptr : it;
}

}  // namespace

std::unique_ptr<Workload> make_workload(const Setting& setting) {
  const Entry* entry = find(setting.options.model);
  if (entry != nullptr) return entry->make(setting);
  return parse_relaxed_name(setting.options.model) ? relaxed_workload(setting) : java_workload(setting);
}

bool has_profiles(std::string_view model) {
  const Entry* entry = find(model);
  return entry != nullptr ? entry->has_profiles : parse_relaxed_name(model).has_value();
}

bool Tide::rises(const Progress& progress, Rng& rng) {
  switch (profile_) {
    case Profile::kBalanced:
      return rng.chance(0.5);
    case Profile::kFillDrain:
      return progress.started < progress.total / 2;
    case Profile::kBursts:
      if (progress.started >= turn_) {
        turn_ = progress.started + 1 + rng.below(kLongestBurst);
        rising_ = !rising_;
      }
      return rising_;
  }
  return false;
}

}  // namespace plumb
