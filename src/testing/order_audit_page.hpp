// Audits of memory orders as a page of HTML: the source, and beside each line that says an order what became of it.
#pragma once

#include <span>
#include <string>

#include <plumb/audit.hpp>
#include <plumb/report.hpp>

namespace plumb::testing {

[[nodiscard]] std::string audit_page(std::span<const OrderAudit> audits);
// As that, as text, or a line of JSON for each.
[[nodiscard]] std::string rendered(std::span<const OrderAudit> audits, ReportFormat format);
// An audit is a table: there is none as a picture.
[[nodiscard]] constexpr bool is_rendered_as(ReportFormat format) {
  return format == ReportFormat::kHtml || format == ReportFormat::kText || format == ReportFormat::kJson;
}

}  // namespace plumb::testing
