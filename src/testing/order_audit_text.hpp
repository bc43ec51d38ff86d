// An audit of memory orders for a person: a table by file and line, and how to see why an order is needed.
#pragma once

#include <string>

#include <plumb/audit.hpp>

namespace plumb::testing {

[[nodiscard]] std::string audit_text(const OrderAudit& audit, const TestOptions& options);

}  // namespace plumb::testing
