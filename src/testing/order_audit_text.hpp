// An audit of memory orders for a person: a table by file and line, and how to see why an order is needed.
#pragma once

#include <string>
#include <string_view>

#include <plumb/audit.hpp>

namespace plumb::testing {

[[nodiscard]] std::string audit_text(const OrderAudit& audit);

// The parts that the page of an audit has, too.
[[nodiscard]] std::string audit_head(const OrderAudit& audit);  // "2 needed, 1 not needed"
[[nodiscard]] std::string audit_explored(
    const OrderAudit& audit);  // how much was run with the orders as they are
[[nodiscard]] std::string_view file_text(const OrderAudit& audit, std::string_view path);
[[nodiscard]] std::string_view order_text(std::memory_order order);
[[nodiscard]] std::string_view access_text(AccessKind access);
[[nodiscard]] std::string_view verdict_text(OrderVerdict verdict);
[[nodiscard]] std::string verdict_reason(const AuditedOrder& order);
// The command that shows why it is needed, or too weak; empty: there is nothing to be shown.
[[nodiscard]] std::string command_text(const OrderAudit& audit, const AuditedOrder& order);
extern const std::string_view kOneByOne;  // what holds of several that are not needed
[[nodiscard]] bool has_several_not_needed(const OrderAudit& audit);

}  // namespace plumb::testing
