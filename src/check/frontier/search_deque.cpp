// The search by frontiers of what is a list with two ends (spec/list_form.hpp): of deques, and of the queues and deques of
// java.util.concurrent. It is that of frontier_deque.hpp, and that of queues where nothing but a queue is seen.
#include "check/frontier/frontier.hpp"
#include "check/frontier/frontier_deque.hpp"
#include "check/frontier/frontier_part.hpp"
#include "check/frontier/list_verdict.hpp"
#include "check/frontier/queue_part.hpp"
#include "spec/list_form.hpp"

namespace plumb {
namespace {

using Kind = ListStep::Kind;

class ListPart {
 public:
  explicit ListPart(const Part& part) : part_(part), form_(*part.history) {
    for (const Value item : form_.initial()) {
      const auto at = static_cast<std::uint32_t>(2 * ids_.size());
      ListStep step;
      step.kind = Kind::kPush;
      step.at_back = true;
      step.value = item;
      add(FrontierOps::kInitial, {at, at + 1, step});
    }
    each_operation(part, ids_.size(), [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      if (!why_not_.empty()) return;
      const auto step = form_.step(id);
      if (!step) {
        why_not_ = form_.why_not();
      } else if (ret != FrontierOp::kNever || step->kind != Kind::kNothing) {
        add(id, {call, ret, *step});
      }
    });
  }

  PartVerdict search(const SearchLimits& limits) const {
    PartVerdict verdict;
    verdict.why_not = why_not_;
    if (!why_not_.empty()) return verdict;
    verdict = is_queue() ? search_as_queue(limits) : search_as_list(limits);
    if (verdict.outcome == Outcome::kViolation) {
      const auto stuck = std::ranges::find(ids_, verdict.stuck.operation);
      tell_allowed(operations_[static_cast<std::size_t>(stuck - ids_.begin())].step, verdict.stuck);
    }
    return verdict;
  }

 private:
  void add(OperationId id, DequeOp operation) {
    operations_.push_back(operation);
    ids_.push_back(id);
  }

  // Whether everything goes in at the back and comes out in front, and nobody counts.
  [[nodiscard]] bool is_queue() const {
    return !form_.is_bounded() && std::ranges::all_of(operations_, [](const DequeOp& op) {
      const ListStep& step = op.step;
      if (step.kind == Kind::kCount) return step.count == 0 && !step.at_back;
      if (step.kind == Kind::kSome || step.kind == Kind::kNothing) return false;
      return step.at_back == (step.kind == Kind::kPush);
    });
  }
  [[nodiscard]] PartVerdict search_as_queue(const SearchLimits& limits) const {
    QueuePart queue(part_, form_.initial());
    for (std::size_t i = form_.initial().size(); i < operations_.size(); ++i) {
      const auto& [call, ret, step] = operations_[i];
      const std::uint32_t value = step.kind == Kind::kPopAny  ? FrontierOp::kAnything
                                  : step.kind == Kind::kCount ? FrontierOp::kNothing
                                                              : step.value.bits();
      if (step.kind == Kind::kPush) {
        queue.insert(ids_[i], call, ret, step.value);
      } else {
        queue.remove(ids_[i], call, ret, value, step.asks == Kind::kPeek);
      }
    }
    return queue.search(limits);
  }

  [[nodiscard]] PartVerdict search_as_list(const SearchLimits& limits) const {
    const DequeAnswer answer = decide_deque(operations_, form_.capacity(), limits);
    return list_verdict(part_, answer, answer.allowed, ids_);
  }

  const Part& part_;
  ListForm form_;
  std::string why_not_;
  std::vector<DequeOp> operations_;
  std::vector<OperationId> ids_;
};

}  // namespace

PartVerdict search_frontier_deque(const Part& part, const SearchLimits& limits) {
  return ListPart(part).search(limits);
}

}  // namespace plumb
