// The one execution that takes the steps of a path: which thread takes each, also where only one is enabled. When the path ends, what is
// wrong is known already, and the threads run on in turn.
#include <utility>

#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class FollowPath final : public Strategy {
 public:
  explicit FollowPath(std::vector<std::uint8_t> path) : path_(std::move(path)) { needs_every_step_ = true; }

  void begin() override { at_ = 0; }
  Pick pick(const SchedulingPoint& point) override {
    if (at_ < path_.size()) return pick_if_enabled(point, path_[at_++], Stop::kReplayMismatch);
    return point.is_data_choice ? lowest(point.enabled) : prefer(point.current, point.enabled);
  }
  bool end() override { return false; }
  bool complete() const override { return false; }

 private:
  std::vector<std::uint8_t> path_;
  std::size_t at_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> follow_path(std::vector<std::uint8_t> path) {
  return std::make_unique<FollowPath>(std::move(path));
}

}  // namespace plumb::engine
