// The counter, watched: exact at every event, as long as every change is a fetch_add of a positive amount.
//
// The counter only grows, and a fetch_add(n) that returned v takes the stretch from v to v + n of the numbers for itself.
// An operation that is called after another has returned comes after it, so its number is not below the *floor*: the
// highest number that was reached when it was called. That is all that the times demand.
// Below the highest number reached, what no returned fetch_add has taken must be filled by open ones, exactly. A number that
// was read is a place where one ends and the next begins, so these *gaps* are cut at the numbers read. Every floor was the
// highest number reached once, and thus is an end of gaps, never inside one: an open fetch_add can be in a gap iff its
// floor is not above the beginning, wherever it then stands in there.
// Which amounts fill which gaps is a question of sums. The fetch_adds that can be in a gap can also be in every later one, so
// among these only the amounts matter, not who is who: with equal amounts counting is enough, with different ones a search
// tries which go where, the lowest gap first.
//
// What lies below the highest number and is no gap is forgotten, except while reads are open: these may have seen any number
// at which the counter stopped since they were called.
#include <algorithm>

#include <absl/container/btree_set.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "watch/online.hpp"

namespace plumb {
namespace {

struct Gap {
  std::int64_t from;
  std::int64_t to;
};

// The open fetch_adds of one amount.
struct Amount {
  std::int64_t amount;
  std::vector<std::int64_t> floors;  // ascending
};

// Can these gaps be filled?
class Filling {
 public:
  enum class Answer : std::uint8_t { kYes, kNo, kTooMany };

  Filling(const std::vector<Gap>& gaps, const std::vector<Amount>& amounts)
      : gaps_(gaps), amounts_(amounts), used_(amounts.size()) {}

  Answer run() {
    if (from(0)) return Answer::kYes;
    return steps_ > kMostSteps ? Answer::kTooMany : Answer::kNo;
  }

 private:
  // NOLINTNEXTLINE(misc-no-recursion): no deeper than there are gaps and amounts
  bool from(std::size_t gap) {
    if (gap == gaps_.size()) return true;
    used_.push_back(gap);
    const bool failed_before = failed_.contains(used_);
    used_.pop_back();
    if (failed_before) return false;
    if (fill(gap, 0, gaps_[gap].to - gaps_[gap].from)) return true;
    used_.push_back(gap);
    failed_.insert(used_);
    used_.pop_back();
    return false;
  }

  // The rest of a gap with the amounts from this one on. NOLINTNEXTLINE(misc-no-recursion)
  bool fill(std::size_t gap, std::size_t which, std::int64_t rest) {
    if (rest == 0) return from(gap + 1);
    if (which == amounts_.size() || ++steps_ > kMostSteps) return false;
    const auto& [amount, floors] = amounts_[which];
    const auto there =
        static_cast<std::size_t>(std::ranges::upper_bound(floors, gaps_[gap].from) - floors.begin());
    const std::size_t most = std::min(there - used_[which], static_cast<std::size_t>(rest / amount));
    if (which + 1 == amounts_.size() && static_cast<std::int64_t>(most) * amount != rest) return false;
    for (std::size_t some = most + 1; some-- > 0;) {
      used_[which] += some;
      if (fill(gap, which + 1, rest - static_cast<std::int64_t>(some) * amount)) return true;
      used_[which] -= some;
    }
    return false;
  }

  static constexpr std::size_t kMostSteps = 100'000;

  const std::vector<Gap>& gaps_;
  const std::vector<Amount>& amounts_;
  std::vector<std::size_t> used_;  // how many of each amount are in the gaps before
  absl::flat_hash_set<std::vector<std::size_t>> failed_;
  std::size_t steps_ = 0;
};

class OnlineCounter final : public OnlineMonitor {
 public:
  explicit OnlineCounter(const OnlineSetting& setting) : values_(setting.values) {
    if (!setting.initial.is_null()) initial_ = values_->as_integer(setting.initial);
    highest_ = initial_;
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    (void)now;
    if (op.role == Role::kAdd) return cannot_judge("an add does not say where it took effect");
    std::int64_t amount = 0;
    if (op.role == Role::kFetchAdd) {
      amount = values_->as_integer(op.args[0]);
      if (amount <= 0) return cannot_judge("an amount that is not positive");
    }
    // Beyond this it might pass the end of the numbers and come back from below.
    if (initial_ < -kFar || amount > kFar || highest_ + open_amount_ > kFar - amount)
      return cannot_judge("numbers that are too large");
    if (op.role == Role::kFetchAdd) {
      open_amount_ += amount;
      floors_of(amount).push_back(highest_);
    } else {
      ++reads_;
      stops_.insert(highest_);
    }
    open_.push_back({op.called, amount, highest_, op.name});
    return OnlineAnswer::kFine;
  }

  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    (void)now;
    const Open ended = take(op);
    const std::int64_t number = values_->as_integer(result);
    auto answer = OnlineAnswer::kFine;
    if (ended.floor < believed_ && number < believed_) {
      answer = OnlineAnswer::kFine;  // from before a violation, after which this is not known
    } else if (number < ended.floor) {
      answer = impossible(op, result, fmt::format("the counter was at {} before it was called", ended.floor));
    } else if (number > highest_ && number - highest_ > open_amount_) {
      answer = impossible(op, result, too_far());
      if (number < kFar - ended.amount) believe(number + ended.amount);
    } else {
      answer = ended.amount == 0 ? saw(op, result, number) : took(op, result, number, ended.amount);
    }
    if (ended.amount == 0) forget_stops();
    return answer;
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    (void)now;
    const Open ended = take(op);
    if (ended.amount == 0) return forget_stops(), OnlineAnswer::kFine;
    return filled([&] { return text(op, "") + " has failed, but what others returned needs it"; }, op);
  }

  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    const auto it = std::ranges::find(open_, op.called, &Open::called);
    const bool is_read = it->amount == 0;
    open_.erase(it);
    if (!is_read) return OnlineAnswer::kFine;  // it goes on counting among the amounts
    --reads_;
    return forget_stops(), OnlineAnswer::kFine;
  }

  [[nodiscard]] bool is_fresh() const override { return is_certain() && highest_ == initial_; }
  [[nodiscard]] std::optional<Value> certain_state() const override {
    if (!is_certain() || !Value::fits(highest_)) return std::nullopt;
    return Value::small(highest_);
  }

 private:
  struct Open {
    Moment called;
    std::int64_t amount;  // 0: a read
    std::int64_t floor;
    WatchedOperation name;
  };

  [[nodiscard]] bool is_certain() const { return open_.empty() && amounts_.empty() && gaps_.empty(); }

  std::vector<std::int64_t>& floors_of(std::int64_t amount) {
    // the largest first: they leave the least choice
    const auto it = std::ranges::lower_bound(amounts_, amount, std::ranges::greater(), &Amount::amount);
    if (it != amounts_.end() && it->amount == amount) return it->floors;
    return amounts_.insert(it, {amount, {}})->floors;
  }

  Open take(const OnlineOp& op) {
    const auto it = std::ranges::find(open_, op.called, &Open::called);
    Open ended = *it;
    open_.erase(it);
    if (ended.amount == 0) {
      --reads_;
    } else {
      open_amount_ -= ended.amount;
      auto& floors = floors_of(ended.amount);
      floors.erase(std::ranges::lower_bound(floors, ended.floor));
      if (floors.empty()) std::erase_if(amounts_, [](const Amount& a) { return a.floors.empty(); });
    }
    return ended;
  }

  // The gap that holds all from `from` to `to`, with its ends.
  std::vector<Gap>::iterator gap_around(std::int64_t from, std::int64_t to) {
    const auto it = std::ranges::find_if(gaps_, [&](const Gap& gap) { return from < gap.to; });
    return it != gaps_.end() && it->from <= from && to <= it->to ? it : gaps_.end();
  }
  void split(std::vector<Gap>::iterator it, std::int64_t from, std::int64_t to) {
    const Gap before = {it->from, from};
    const Gap after = {to, it->to};
    it = gaps_.erase(it);
    if (after.from < after.to) it = gaps_.insert(it, after);
    if (before.from < before.to) gaps_.insert(it, before);
  }
  void reach(std::int64_t number, std::int64_t then) {
    if (number > highest_) gaps_.push_back({highest_, number});
    highest_ = then;
  }
  void stop_at(std::int64_t number) {
    if (reads_ != 0) stops_.insert(number);
  }

  OnlineAnswer took(const OnlineOp& op, Value result, std::int64_t from, std::int64_t amount) {
    const std::int64_t to = from + amount;
    if (from >= highest_) {
      reach(from, to);
    } else {
      const auto gap = gap_around(from, to);
      if (gap == gaps_.end()) {
        return impossible(op, result, fmt::format("others say what happened between {} and {}", from, to));
      }
      split(gap, from, to);
    }
    stop_at(from);
    stop_at(to);
    return filled([&] { return text(op, result_text(result)) + " is impossible: " + too_far(); }, op);
  }

  OnlineAnswer saw(const OnlineOp& op, Value result, std::int64_t number) {
    if (number >= highest_) {
      reach(number, number);
    } else if (const auto gap = gap_around(number, number + 1); gap != gaps_.end()) {
      split(gap, number, number);
    } else if (!stops_.contains(number)) {
      return impossible(op, result, fmt::format("a fetch_add led past {} without a stop there", number));
    }
    stop_at(number);
    return filled([&] { return text(op, result_text(result)) + " is impossible: " + too_far(); }, op);
  }

  // Can the gaps be filled? If not, what is below is not known any more.
  template <class Reason>
  OnlineAnswer filled(Reason&& reason, const OnlineOp& op) {
    if (gaps_.empty()) return OnlineAnswer::kFine;
    const auto answer = Filling(gaps_, amounts_).run();
    if (answer == Filling::Answer::kYes) return OnlineAnswer::kFine;
    if (answer == Filling::Answer::kTooMany)
      return cannot_judge("too many ways in which open fetch_adds may have brought the counter where it is");
    std::vector<WatchedOperation> operations = {op.name};
    for (const Open& open : open_) {
      if (open.amount != 0) operations.push_back(open.name);
    }
    believe(highest_);
    return violation(reason(), std::move(operations));
  }

  void believe(std::int64_t number) {
    highest_ = std::max(highest_, number);
    believed_ = highest_;
    gaps_.clear();
  }

  // Only open reads can still return numbers at which the counter stopped long ago.
  void forget_stops() {
    const auto oldest = std::ranges::find(open_, 0, &Open::amount);
    stops_.erase(stops_.begin(), oldest == open_.end() ? stops_.end() : stops_.lower_bound(oldest->floor));
  }

  [[nodiscard]] std::string too_far() const {
    return fmt::format("what has returned and {} cannot have added up to that",
                       open_amount_ == 0 ? "nothing else" : "the fetch_adds still open");
  }
  OnlineAnswer impossible(const OnlineOp& op, Value result, const std::string& why) {
    return violation(fmt::format("{} is impossible: {}", text(op, result_text(result)), why), {op.name});
  }
  [[nodiscard]] std::string result_text(Value result) const { return " → " + values_->to_json(result); }
  [[nodiscard]] std::string text(const OnlineOp& op, const std::string& result) const {
    const std::string name =
        op.role == Role::kRead ? "read" : fmt::format("fetch_add({})", values_->to_json(op.args[0]));
    return fmt::format("`{}{}` by process {}", name, result, values_->to_json(op.process));
  }

  static constexpr std::int64_t kFar = std::int64_t{1} << 61U;

  std::shared_ptr<Values> values_;
  std::int64_t initial_ = 0;
  std::int64_t highest_ = 0;             // the highest number reached for sure
  std::int64_t believed_ = -kFar * 2;    // what lies below is not known, after a violation
  std::vector<Open> open_;               // by call
  std::vector<Amount> amounts_;          // of the fetch_adds that are open or lost; the largest first
  std::int64_t open_amount_ = 0;         // their sum
  std::vector<Gap> gaps_;                // ascending
  std::size_t reads_ = 0;                // open
  absl::btree_set<std::int64_t> stops_;  // since the oldest open read was called, if there is one
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_counter(const OnlineSetting& setting) {
  return std::make_unique<OnlineCounter>(setting);
}

}  // namespace plumb
