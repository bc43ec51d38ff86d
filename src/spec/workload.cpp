// The workload of a model: a column of models.def.
#include "spec/workload.hpp"

#include <algorithm>
#include <array>

#include "spec/models.hpp"

namespace plumb {
namespace {

struct Entry {
  const Model* model;
  std::unique_ptr<Workload> (*make)(const Setting&);
  bool has_profiles;
};

const Entry* find(std::string_view model) {
  static const std::array kWorkloads = {
#define PLUMB_BUILT_IN(NAME, HAS_PROFILES) Entry{&NAME##_model(), NAME##_workload, HAS_PROFILES},
#include "spec/models.def"
#undef PLUMB_BUILT_IN
  };
  const auto* it = std::ranges::find_if(kWorkloads, [&](const Entry& e) { return e.model->name() == model; });
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
