#include "testing/order_audit_text.hpp"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/count_of.hpp"
#include "base/milliseconds.hpp"
#include "base/shell_word.hpp"
#include "explore/memory_models.hpp"
#include "json/json_writer.hpp"
#include "runtime/step.hpp"

namespace plumb {
namespace testing {
namespace {

// "push(1) pop() | push(2)"
std::string scenario_text(const OrderTrial& trial) {
  std::vector<std::string> threads;
  for (const auto& calls : trial.scenario) threads.push_back(fmt::format("{}", fmt::join(calls, " ")));
  return fmt::format("{}", fmt::join(threads, " | "));
}

std::string explored(const OrderTrial& trial) {
  return fmt::format("{}, {}", count_of(trial.scenarios, "scenario"),
                     count_of(trial.executions, "execution"));
}

std::string finding(const OrderTrial& trial) {
  return fmt::format("{} in {}", trial.kind ? to_string(*trial.kind) : "", scenario_text(trial));
}

// The strongest order with which something is found is the one that says most.
const OrderTrial* most_telling(const AuditedOrder& order) {
  const auto found = std::find_if(order.trials.rbegin(), order.trials.rend(),
                                  [](const OrderTrial& each) { return each.verdict == Outcome::kViolation; });
  return found == order.trials.rend() ? nullptr : &*found;
}

std::string row_text(const OrderAudit& audit, const AuditedOrder& order) {
  std::string text =
      fmt::format("  {:>5}  {:<22}  {:<8} {:<11} {}\n", order.place.line, access_text(order.access),
                  order_text(order.order), verdict_text(order.verdict), verdict_reason(order));
  const std::string command = command_text(audit, order);
  return command.empty() ? text : text + fmt::format("         {}\n", command);
}

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }

}  // namespace

const std::string_view kOneByOne =
    "Each was weakened by itself: of several that are not needed one may be weakened, not yet all.";

std::string_view order_text(std::memory_order order) {
  return runtime::order_name(static_cast<std::uint8_t>(order));
}

std::string_view access_text(AccessKind access) {
  if (access == AccessKind::kUpdate) return "read-modify-write";
  return access == AccessKind::kFailure ? "compare-exchange fails" : to_string(access);
}

std::string_view verdict_text(OrderVerdict verdict) {
  if (verdict == OrderVerdict::kNotNeeded) return "not needed";
  return verdict == OrderVerdict::kTooWeak ? "TOO WEAK" : to_string(verdict);
}

std::string verdict_reason(const AuditedOrder& order) {
  const OrderTrial* const found = most_telling(order);
  switch (order.verdict) {
    case OrderVerdict::kNeeded:
      return fmt::format("with {}: {}", order_text(found->order), finding(*found));
    case OrderVerdict::kNotNeeded:
      return fmt::format("with {} nothing is found in {}", order_text(*order.enough),
                         explored(order.trials.back()));
    case OrderVerdict::kTooWeak:
      return fmt::format("{}; {} is enough", finding(*found), order_text(*order.enough));
    case OrderVerdict::kUndecided:
      break;
  }
  if (order.trials.empty()) return "not tried, the budget was spent";
  const OrderTrial& last = order.trials.back();
  return fmt::format("with {} nothing was found yet in {}", order_text(last.order), explored(last));
}

std::string command_text(const OrderAudit& audit, const AuditedOrder& order) {
  const OrderTrial* const found = most_telling(order);
  const bool shows = order.verdict == OrderVerdict::kNeeded || order.verdict == OrderVerdict::kTooWeak;
  if (!shows || found == nullptr || audit.program.empty()) return {};
  return fmt::format("{} {}", shell_word(audit.program), found->replay);
}

// Its name, where that says which file it is.
std::string_view file_text(const OrderAudit& audit, std::string_view path) {
  const bool is_clear = std::ranges::none_of(audit.orders, [&](const AuditedOrder& each) {
    return each.place.file != path && name_of(each.place.file) == name_of(path);
  });
  return is_clear ? name_of(path) : path;
}

bool has_several_not_needed(const OrderAudit& audit) {
  return std::ranges::count(audit.orders, OrderVerdict::kNotNeeded, &AuditedOrder::verdict) > 1;
}

std::string audit_head(const OrderAudit& audit) {
  if (audit.orders.empty() && !audit.message.empty()) return "not audited";
  std::vector<std::string> parts;
  for (const OrderVerdict verdict :
       {OrderVerdict::kTooWeak, OrderVerdict::kNeeded, OrderVerdict::kNotNeeded, OrderVerdict::kUndecided}) {
    const auto count = std::ranges::count(audit.orders, verdict, &AuditedOrder::verdict);
    if (count > 0) parts.push_back(fmt::format("{} {}", count, verdict_text(verdict)));
  }
  return parts.empty() ? "threads used none that could be weaker" : fmt::format("{}", fmt::join(parts, ", "));
}

std::string audit_explored(const OrderAudit& audit) {
  const bool repaired = std::ranges::count(audit.orders, OrderVerdict::kTooWeak, &AuditedOrder::verdict) > 0;
  return fmt::format("explored{}: {}, {}{}", repaired ? " with what is too weak repaired" : "",
                     count_of(audit.scenarios, "scenario"), count_of(audit.executions, "execution"),
                     audit.exhausted ? "" : "; not all, so nothing is \"not needed\" for certain");
}

std::string audit_text(const OrderAudit& audit) {
  if (audit.refused) return fmt::format("{}: {}\n", audit.test, audit.message);
  std::string text = fmt::format("memory orders of {}: {}\n", audit.test, audit_head(audit));
  if (audit.orders.empty() && !audit.message.empty()) return text + audit.message + "\n";
  text += audit_explored(audit) + "\n";
  std::string file;
  for (const AuditedOrder& order : audit.orders) {
    if (order.place.file != file) text += fmt::format("{}\n", file_text(audit, order.place.file));
    file = order.place.file;
    text += row_text(audit, order);
  }
  if (has_several_not_needed(audit)) text += fmt::format("{}\n", kOneByOne);
  if (!audit.message.empty()) text += audit.message + "\n";
  return text;
}

}  // namespace testing

namespace {

void write(JsonWriter& json, const OrderTrial& trial) {
  json.object([&] {
    json.member("order", testing::order_text(trial.order));
    json.member("verdict", to_string(trial.verdict, "pass"));
    if (trial.kind) json.member("kind", to_string(*trial.kind));
    if (!trial.message.empty()) json.member("message", trial.message);
    json.member("scenarios", trial.scenarios);
    json.member("executions", trial.executions);
    if (trial.scenario.empty()) return;
    json.key("scenario").array(trial.scenario, [&](const auto& calls) { json.array(calls); });
    json.member("replay", trial.replay);
  });
}

}  // namespace

std::string OrderAudit::json() const {
  JsonWriter json;
  json.object([&] {
    json.member("test", test);
    json.member("audit", "orders");
    json.member("verdict", refused ? "error" : to_string(verdict, "pass"));
    if (!message.empty()) json.member("message", message);
    json.member("memory_model", engine::word_of(memory_model));
    json.member("scenarios", scenarios);
    json.member("executions", executions);
    json.member("exhausted", exhausted);
    json.key("orders").array(orders, [&](const AuditedOrder& each) {
      json.object([&] {
        json.member("file", each.place.file);
        json.member("line", each.place.line);
        json.member("function", each.place.function);
        json.member("access", to_string(each.access));
        json.member("order", testing::order_text(each.order));
        json.member("verdict", to_string(each.verdict));
        if (each.enough) json.member("enough", testing::order_text(*each.enough));
        json.key("trials").array(each.trials, [&](const OrderTrial& trial) { write(json, trial); });
      });
    });
    json.member("elapsed_ms", JsonWriter::Fixed{in_milliseconds(elapsed), 1});
  });
  return json.take();
}

}  // namespace plumb
