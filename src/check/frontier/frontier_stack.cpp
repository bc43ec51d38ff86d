#include "check/frontier/frontier_stack.hpp"

#include <algorithm>
#include <limits>

#include "check/frontier/stack_search.hpp"

namespace plumb {

using Kind = StackOp::Kind;

StackSearch::StackSearch(std::span<const StackOp> ops, const SearchLimits& limits,
                         std::uint32_t most_anythings)
    : ops_(ops.begin(), ops.end()),
      limits_(limits),
      most_anythings_(most_anythings),
      gauge_(*limits.budget, limits.rank),
      words_(gauge_),
      window_(ops_),
      stage_(ops_, window_, words_, gauge_, limits),
      frontiers_{{.taken = 0, .words = WordSets::kEmptyWord}} {
  list_events();
  find_floors();
}

void StackSearch::list_events() {
  for (std::uint32_t op = 0; op < ops_.size(); ++op) {
    events_.push_back({ops_[op].call, op, false});
    if (ops_[op].ret != StackOp::kNever) events_.push_back({ops_[op].ret, op, true});
  }
  std::ranges::sort(events_, {}, &StackEvent::position);
}

// At any time, pushes that returned have been taken, and pops that were not called have not: the stack is at
// least as high as these tell, less one, as a pop that found nothing is asked whether it could have found
// something.
void StackSearch::find_floors() {
  std::int64_t height = -1;
  floors_.push_back(height);
  for (const auto [position, op, returns] : events_) {
    if (ops_[op].kind == Kind::kPush) {
      height += returns ? 1 : 0;
    } else if (ops_[op].kind != Kind::kPopNothing) {
      height -= returns ? 0 : 1;
    }
    floors_.push_back(height);
  }
  for (std::size_t i = floors_.size() - 1; i-- > 0;) floors_[i] = std::min(floors_[i], floors_[i + 1]);
}

StackAnswer StackSearch::run() {
  StackAnswer answer;
  const bool passed = search();
  answer.frontiers = met_;
  answer.spent = gauge_.reason();
  if (answer.spent != StopReason::kNothing) {
    answer.stuck = next_to_return();
    return answer;
  }
  answer.outcome = passed ? Outcome::kHolds : Outcome::kViolation;
  if (!passed && held_back()) return answer;
  const std::size_t end = at_;
  const std::uint32_t next = next_to_return();
  answer.order = trace();
  if (gauge_.reason() == StopReason::kInternalError || (passed && gauge_.spent())) {
    answer.outcome = Outcome::kUnknown;
    answer.spent = gauge_.reason();
    answer.stuck = next;
    answer.order.clear();
  } else if (!passed) {
    answer.stuck = events_[end].op;
    if (gauge_.spent()) answer.order.clear();
    go_to(end);
    find_allowed(answer);
  }
  return answer;
}

bool StackSearch::search() {
  for (; at_ < events_.size(); ++at_) {
    const auto [position, op, returns] = events_[at_];
    if (!returns) {
      if (window_.call(op)) continue;
      gauge_.spend(StopReason::kTooLarge);
      return false;
    }
    begins_.push_back(kept_.size());
    kept_.insert(kept_.end(), frontiers_.begin(), frontiers_.end());
    const bool passed = pass(op);
    mind_limits();
    if (!passed || gauge_.spent()) {
      frontiers_.assign(before(begins_.size() - 1).begin(), before(begins_.size() - 1).end());
      return false;
    }
    window_.close(op);
  }
  return true;
}

// From where the search is; the last one, if there is none left.
std::uint32_t StackSearch::next_to_return() const {
  std::uint32_t next = 0;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (!events_[i].returns) continue;
    next = events_[i].op;
    if (i >= at_) break;
  }
  return next;
}

// The return of this operation, at which the window is.
bool StackSearch::pass(std::uint32_t op) {
  stage_.run(frontiers_, op, floors_[at_], most_anythings_);
  frontiers_.clear();
  for (const std::uint32_t entry : stage_.after()) {
    const auto& [taken, words] = stage_.entries()[entry];
    frontiers_.push_back({taken & ~window_.bit(op), words[StackStage::kPopping]});
  }
  met_ += stage_.entries().size();
  return !frontiers_.empty();
}

void StackSearch::mind_limits() {
  const std::size_t kept = kept_.capacity() * sizeof(StackFrontier);
  if (words_.bytes() + kept > limits_.memory) gauge_.spend(StopReason::kMemory);
  if (met_ > limits_.configurations) gauge_.spend(StopReason::kRound);
}

std::span<const StackFrontier> StackSearch::before(std::size_t ret) const {
  const std::size_t end = ret + 1 < begins_.size() ? begins_[ret + 1] : kept_.size();
  return std::span(kept_).subspan(begins_[ret], end - begins_[ret]);
}

void StackSearch::go_to(std::size_t event) {
  for (; at_ < event; ++at_) {
    const auto [position, op, returns] = events_[at_];
    if (returns) {
      window_.close(op);
    } else {
      window_.call(op);  // as before: it has room
    }
  }
  for (; at_ > event; --at_) {
    const auto [position, op, returns] = events_[at_ - 1];
    if (returns) {
      window_.reopen(op);
    } else {
      window_.uncall(op);
    }
  }
}

// With another result, the stuck pop is another operation from its call on: so go back to its call, and try.
void StackSearch::find_allowed(StackAnswer& answer) {
  constexpr std::size_t kMostReturns = 20'000;  // gone through, in all
  const std::size_t ret = at_;
  const StackOp stuck = ops_[answer.stuck];
  const auto found = std::ranges::lower_bound(events_, stuck.call, {}, &StackEvent::position);
  const auto call = static_cast<std::size_t>(found - events_.begin());
  go_to(call);
  const std::vector<std::uint32_t> values = candidates(call, ret, answer);
  std::size_t tries = kMostReturns / (ret - call);
  std::size_t tried = 0;
  for (const std::uint32_t value : values) {
    if (stuck.kind == Kind::kPop && stuck.value == value) {
      ++tried;
      continue;
    }
    if (tries-- == 0 || gauge_.spent()) break;
    ops_[answer.stuck] = {stuck.call, stuck.ret, value, Kind::kPop};
    if (gets_past(call, ret, nullptr)) answer.allowed.push_back(value);
    ++tried;
  }
  if (held_back() || gauge_.spent() || tried < values.size()) answer.allowed_complete = false;
  ops_[answer.stuck] = stuck;
  go_to(ret);
}

// Values that the stuck pop can have had at best: those on top of a stack while it was open and not taken,
// and those of pushes that were open with it when it returned (rule 4). A pop of nothing stands in its way no
// more than it does itself; and whether that gets past is another thing to know.
std::vector<std::uint32_t> StackSearch::candidates(std::size_t call, std::size_t ret, StackAnswer& answer) {
  std::vector<std::uint32_t> values;
  const StackOp stuck = ops_[answer.stuck];
  ops_[answer.stuck].kind = Kind::kPopNothing;
  answer.allowed_nothing = gets_past(call, ret, &values) && stuck.kind != Kind::kPopNothing;
  for (const StackOp& op : ops_) {
    if (op.kind == Kind::kPush && op.call < stuck.ret && op.ret > stuck.ret) values.push_back(op.value);
  }
  std::ranges::sort(values);
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

// From the call of the stuck pop, where the window is, and back to it: does it get past its return?
bool StackSearch::gets_past(std::size_t call, std::size_t ret, std::vector<std::uint32_t>* tops) {
  const auto returned = std::count_if(events_.begin(), events_.begin() + static_cast<std::ptrdiff_t>(call),
                                      [](const StackEvent& event) { return event.returns; });
  const auto begin = before(static_cast<std::size_t>(returned));
  frontiers_.assign(begin.begin(), begin.end());
  bool passed = true;
  for (; passed && at_ <= ret; ++at_) {
    const auto [position, op, returns] = events_[at_];
    if (!returns) {
      passed = window_.call(op);
      continue;
    }
    passed = pass(op);
    if (tops != nullptr) note_tops(*tops);
    window_.close(op);
  }
  go_to(call);
  frontiers_.assign(before(begins_.size() - 1).begin(), before(begins_.size() - 1).end());
  return passed;
}

void StackSearch::note_tops(std::vector<std::uint32_t>& tops) const {
  for (const auto& entry : stage_.entries()) {
    for (const auto& branch : words_.branches(entry.words[StackStage::kPopping]))
      tops.push_back(branch.letter);
  }
}

// Few of the pops of unknown result have to take effect, as a rule; each that may be taken makes for more
// stacks. So a few are allowed at first, then twice as many.
StackAnswer decide_stack(std::span<const StackOp> ops, const SearchLimits& limits) {
  constexpr std::uint32_t kFewAnythings = 4;
  for (std::uint32_t most = kFewAnythings;; most *= 2) {
    StackSearch search(ops, limits, most);
    StackAnswer answer = search.run();
    if (answer.outcome != Outcome::kViolation || !search.held_back() || most >= StackOp::kMostOpen)
      return answer;
  }
}

}  // namespace plumb
