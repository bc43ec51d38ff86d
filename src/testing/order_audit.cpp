// The audit of the memory orders of a class: the test is run as it is, which shows the lines that say an order, then once for each of these
// and each weaker order. An order that is too weak already is found by the suggestion of the failure, and the others are judged with it
// repaired.
#include <algorithm>
#include <chrono>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <plumb/audit.hpp>

#include "base/count_of.hpp"
#include "base/shell_word.hpp"
#include "explore/memory_models.hpp"
#include "explore/order_sites.hpp"
#include "testing/order_audit_text.hpp"
#include "testing/scenario_runner.hpp"
#include "testing/time_shares.hpp"
#include "testing/weaker_orders.hpp"

namespace plumb {
namespace testing {
namespace {

using Make = std::function<std::unique_ptr<TestCase>()>;

class CollectSites {
 public:
  CollectSites() { anew(); }
  static void anew() { engine::OrderSites::instance().collect(true); }
  CollectSites(const CollectSites&) = delete;
  CollectSites& operator=(const CollectSites&) = delete;
  ~CollectSites() { engine::OrderSites::instance().collect(false); }
};

bool is_same_place(const OrderChange& change, const AuditedOrder& order) {
  return change.file == order.place.file && change.line == order.place.line && change.kind == order.access;
}

class AuditRun {
 public:
  AuditRun(const Make& make, const TestOptions& options, Seconds budget)
      : make_(make), options_(options), time_(budget) {
    audit_.test = make()->name();
    audit_.program = options.program;
    audit_.memory_model = options.memory_model.value_or(engine::kDefaultWeakModel);
    if (audit_.memory_model == MemoryModel::kSequential) audit_.memory_model = engine::kDefaultWeakModel;
  }

  OrderAudit run() {
    if (establish()) {
      for (int pass = 0; pass < kPasses && !undecided().empty(); ++pass) weaken_all();
      conclude();
    }
    audit_.elapsed = time_.passed();
    audit_.report = audit_text(audit_);
    return std::move(audit_);
  }

 private:
  static constexpr int kPasses = 2;           // those that had too little time get what others have left
  static constexpr std::size_t kRepairs = 8;  // findings, each with other orders that are too weak
  static constexpr Seconds kLeast{0.05};

  // The test with these orders, for so long.
  TestResult run_with(const std::vector<OrderChange>& orders, Seconds share, bool is_trial) {
    const auto test = make_();
    TestOptions options = options_;
    options.memory_model = audit_.memory_model;
    options.only_small = true;
    options.budget = options.timeout = share;
    options.progress = nullptr;
    if (!is_trial) options.jobs = 1;  // what is used is seen in this process only
    ExploreOptions explore = test->explore_options().value_or(options.explore);
    explore.orders = orders;
    explore.suggest_orders = !is_trial;
    test->explore(std::move(explore));
    return run_test(*test, options);
  }

  [[nodiscard]] bool is_over() const {
    return time_.spent() || (options_.stop != nullptr && options_.stop->load());
  }

  // As the orders are, with those repaired that are too weak. False: there is nothing to be audited.
  bool establish() {
    const CollectSites collecting;
    for (std::size_t repairs = 0;; ++repairs) {
      CollectSites::anew();
      const TestResult result = run_with(repaired_, *time_.left() / 2, false);
      if (result.refused) return end(Outcome::kUnknown, result.message, true);
      if (result.verdict != Outcome::kViolation) {
        take_figures(result);
        break;
      }
      if (repairs == kRepairs || result.suggested_orders.empty())
        return end(Outcome::kViolation,
                   "the test fails with the orders as they are, and stronger ones do not repair it: " +
                       result.message);
      repair(result);
    }
    leave_out_what_need_not_be_repaired();
    for (const engine::OrderSite& site : engine::OrderSites::instance().used()) add(site);
    std::ranges::sort(audit_.orders, {}, [](const AuditedOrder& each) {
      return std::tuple(each.place.file, each.place.line, each.access, each.order);
    });
    return true;
  }

  bool end(Outcome verdict, std::string message, bool refused = false) {
    audit_.verdict = verdict;
    audit_.message = std::move(message);
    audit_.refused = refused;
    return false;
  }

  void take_figures(const TestResult& result) {
    audit_.scenarios = result.models.empty() ? result.scenarios : result.models.front().scenarios;
    audit_.executions = result.models.empty() ? result.executions : result.models.front().executions;
    audit_.exhausted = result.verdict == Outcome::kHolds && result.exhausted;
    audit_.message = result.message;
  }

  void repair(const TestResult& failed) {
    for (const OrderChange& change : failed.suggested_orders) {
      audit_.orders.push_back({.place = {.file = change.file, .line = change.line, .function = {}},
                               .access = change.kind,
                               .order = change.instead_of.value_or(std::memory_order_relaxed),
                               .verdict = OrderVerdict::kTooWeak,
                               .enough = change.order,
                               .trials = {trial_of(failed, {}, repaired_)}});
      audit_.orders.back().trials.front().order = audit_.orders.back().order;
    }
    repaired_.insert(repaired_.end(), failed.suggested_orders.begin(), failed.suggested_orders.end());
  }

  // A suggestion has one order for a compare-exchange that succeeds and one that fails; often the first is enough.
  void leave_out_what_need_not_be_repaired() {
    for (std::size_t i = repaired_.size(); audit_.exhausted && i-- > 0;) {
      if (repaired_[i].kind != AccessKind::kFailure) continue;
      std::vector<OrderChange> without = repaired_;
      without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
      if (run_with(without, *time_.left() / 4, true).verdict != Outcome::kHolds) continue;
      std::erase_if(audit_.orders,
                    [&](const AuditedOrder& each) { return is_same_place(repaired_[i], each); });
      repaired_ = std::move(without);
    }
  }

  void add(const engine::OrderSite& site) {
    AuditedOrder order{.place = site.place, .access = site.kind, .order = site.order};
    const auto known = std::ranges::find_if(audit_.orders, [&](const AuditedOrder& each) {
      return each.place.file == site.place.file && each.place.line == site.place.line &&
             each.access == site.kind && each.order == site.order;
    });
    if (known != audit_.orders.end()) {
      known->place.function = site.place.function;
    } else if (!weaker_orders(site.kind, site.order).empty()) {
      audit_.orders.push_back(std::move(order));
    }
  }

  [[nodiscard]] std::vector<AuditedOrder*> undecided() {
    std::vector<AuditedOrder*> left;
    for (AuditedOrder& each : audit_.orders) {
      if (each.verdict == OrderVerdict::kUndecided) left.push_back(&each);
    }
    return left;
  }

  void weaken_all() {
    const std::vector<AuditedOrder*> left = undecided();
    for (std::size_t i = 0; i < left.size() && !is_over(); ++i) {
      if (options_.progress)
        options_.progress(fmt::format("{}: {} of {} decided, at most {:.0f} s left", audit_.test,
                                      audit_.orders.size() - undecided().size(),
                                      count_of(audit_.orders.size(), "memory order"), time_.left()->count()));
      weaken(*left[i], *time_.left() / static_cast<double>(left.size() - i));
    }
  }

  void weaken(AuditedOrder& order, Seconds share) {
    order.trials.clear();
    const Seconds until = time_.passed() + share;
    for (const std::memory_order weaker : weaker_orders(order.access, order.order)) {
      std::vector<OrderChange> orders = repaired_;
      orders.push_back({.file = order.place.file,
                        .line = order.place.line,
                        .kind = order.access,
                        .order = weaker,
                        .instead_of = order.order});
      const TestResult result = run_with(orders, std::max(until - time_.passed(), kLeast), true);
      order.trials.push_back(trial_of(result, weaker, orders));
      if (result.verdict != Outcome::kHolds) continue;
      order.verdict = OrderVerdict::kNotNeeded;
      order.enough = weaker;
      return;
    }
    if (std::ranges::all_of(order.trials, [&](const OrderTrial& each) { return breaks(order, each); }))
      order.verdict = OrderVerdict::kNeeded;
  }

  // What a stronger order allows, a weaker one does.
  static bool breaks(const AuditedOrder& order, const OrderTrial& trial) {
    return std::ranges::any_of(order.trials, [&](const OrderTrial& each) {
      const bool is_no_stronger = each.order == trial.order || is_weaker(trial.order, each.order);
      return each.verdict == Outcome::kViolation && is_no_stronger;
    });
  }

  static OrderTrial trial_of(const TestResult& result, std::memory_order order,
                             const std::vector<OrderChange>& orders) {
    OrderTrial trial{.order = order,
                     .verdict = result.verdict,
                     .kind = result.kind,
                     .message = result.message,
                     .scenario = result.scenario};
    if (result.verdict == Outcome::kViolation) {
      for (const OrderChange& change : orders)
        trial.replay += fmt::format("--order {} ", shell_word(to_string(change)));
      trial.replay += "--replay " + shell_word(result.replay);
      trial.scenarios = result.scenarios;
      trial.executions = result.executions;
    } else if (!result.models.empty()) {
      trial.scenarios = result.models.front().scenarios;
      trial.executions = result.models.front().executions;
    }
    return trial;
  }

  void conclude() {
    const auto any = [&](OrderVerdict verdict) {
      return std::ranges::any_of(audit_.orders,
                                 [&](const AuditedOrder& each) { return each.verdict == verdict; });
    };
    const bool is_open = any(OrderVerdict::kUndecided) || !audit_.exhausted;
    audit_.verdict = any(OrderVerdict::kTooWeak) ? Outcome::kViolation
                     : is_open                   ? Outcome::kUnknown
                                                 : Outcome::kHolds;
    if (audit_.verdict != Outcome::kUnknown) audit_.message.clear();
  }

  const Make& make_;
  const TestOptions& options_;
  TimeShares time_;
  std::vector<OrderChange> repaired_;  // orders that are too weak
  OrderAudit audit_;
};

}  // namespace
}  // namespace testing

std::string_view to_string(OrderVerdict verdict) {
  switch (verdict) {
    case OrderVerdict::kNeeded:
      return "needed";
    case OrderVerdict::kNotNeeded:
      return "not-needed";
    case OrderVerdict::kTooWeak:
      return "too-weak";
    case OrderVerdict::kUndecided:
      break;
  }
  return "undecided";
}

OrderAudit audit_orders(const std::function<std::unique_ptr<TestCase>()>& make, const TestOptions& options) {
  const auto budget = testing::budget_of(options);
  if (!budget) {
    OrderAudit audit{.test = make()->name(), .refused = true, .message = budget.error().text()};
    audit.report = testing::audit_text(audit);
    return audit;
  }
  return testing::AuditRun(make, options, *budget).run();
}

}  // namespace plumb
