// One serial execution: operations are called by threads in a given order, and each runs to its end before the next is called. Where the
// order is over, in any.
#include <utility>
#include <vector>

#include "explore/strategy.hpp"

namespace plumb::engine {
namespace {

class SerialOrder final : public Strategy {
 public:
  explicit SerialOrder(std::vector<int> threads) : threads_(std::move(threads)) { needs_every_step_ = true; }

  void begin() override { called_ = 0; }

  Pick pick(const SchedulingPoint& point) override {
    if (point.is_data_choice) return lowest(point.enabled);
    const bool is_wanted = called_ < threads_.size() && (point.enabled & bit(threads_[called_])) != 0;
    const int picked = is_wanted && is_at_call(point, threads_[called_])
                           ? threads_[called_]
                           : prefer(point.current, point.enabled);
    if (is_at_call(point, picked)) ++called_;
    return picked;
  }

  bool end() override { return false; }
  bool complete() const override { return false; }

 private:
  static bool is_at_call(const SchedulingPoint& point, int thread) {
    return (*point.next)[static_cast<std::size_t>(thread)]->kind == runtime::StepKind::kCall;
  }

  std::vector<int> threads_;
  std::size_t called_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> serial_order(std::vector<int> threads) {
  return std::make_unique<SerialOrder>(std::move(threads));
}

}  // namespace plumb::engine
