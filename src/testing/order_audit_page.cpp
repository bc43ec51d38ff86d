#include "testing/order_audit_page.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "document/source_excerpts.hpp"
#include "history/printable.hpp"
#include "report/assets.hpp"
#include "report/markup.hpp"
#include "testing/order_audit_text.hpp"

namespace plumb {
namespace testing {
namespace {

std::string text(std::string_view any) { return markup_escaped(printable_lines(any)); }

using Orders = std::vector<const AuditedOrder*>;  // of one file, by line

std::string order_cell(const OrderAudit& audit, const AuditedOrder& order) {
  const std::string command = command_text(audit, order);
  return fmt::format(
      "<div class=\"order\"><span class=\"pill {}\">{}</span> <b>{}</b> <span class=\"access\">{}</span> "
      "{}{}</div>",
      to_string(order.verdict), text(verdict_text(order.verdict)), order_text(order.order),
      text(access_text(order.access)), text(verdict_reason(order)),
      command.empty()
          ? ""
          : fmt::format("<div class=\"command\"><code>{}</code><button class=\"copy\">Copy</button></div>",
                        text(command)));
}

// A line of the source, and what is said of it.
std::string row(const OrderAudit& audit, unsigned line, const std::string& code, const Orders& orders) {
  std::string said;
  for (const AuditedOrder* order : orders) {
    if (order->place.line == static_cast<int>(line)) said += order_cell(audit, *order);
  }
  return fmt::format("<tr{}><td class=\"number\">{}</td><td class=\"code\">{}</td><td>{}</td></tr>\n",
                     said.empty() ? "" : " class=\"said\"", line, text(code), said);
}

// The stretches of the source around these lines; the lines alone where the file cannot be read.
std::vector<DocumentSource> stretches(const std::string& file, const Orders& orders) {
  Document document;
  for (const AuditedOrder* order : orders) {
    const auto line = static_cast<unsigned>(order->place.line);
    document.accesses.push_back({.what = {}, .places = {{.file = file, .line = line, .function = {}}}});
  }
  auto sources = source_excerpts(document);
  if (!sources.empty()) return sources;
  for (const AuditedOrder* order : orders) {
    const auto line = static_cast<unsigned>(order->place.line);
    if (sources.empty() || sources.back().first != line) sources.push_back({file, line, {""}});
  }
  return sources;
}

std::string file_section(const OrderAudit& audit, const std::string& file, const Orders& orders) {
  std::string out = fmt::format("<h3 title=\"{}\">{}</h3>\n<table class=\"audit\">\n", text(file),
                                text(file_text(audit, file)));
  for (const DocumentSource& source : stretches(file, orders)) {
    out += "<tbody>\n";
    for (std::size_t i = 0; i < source.lines.size(); ++i)
      out += row(audit, source.first + static_cast<unsigned>(i), source.lines[i], orders);
    out += "</tbody>\n";
  }
  return out + "</table>\n";
}

std::string section(const OrderAudit& audit) {
  std::string out = fmt::format("<section><h2>{}: {}</h2>\n", text(audit.test),
                                audit.refused ? "not audited" : text(audit_head(audit)));
  if (!audit.refused && !audit.orders.empty())
    out += fmt::format("<p class=\"explored\">{}</p>\n", text(audit_explored(audit)));
  for (auto at = audit.orders.begin(); at != audit.orders.end();) {
    const auto end = std::find_if(
        at, audit.orders.end(), [&](const AuditedOrder& each) { return each.place.file != at->place.file; });
    const std::string& file = at->place.file;
    Orders orders;
    for (; at != end; ++at) orders.push_back(&*at);
    out += file_section(audit, file, orders);
  }
  if (has_several_not_needed(audit)) out += fmt::format("<p>{}</p>\n", text(kOneByOne));
  if (!audit.message.empty()) out += fmt::format("<p>{}</p>\n", text(audit.message));
  return out + "</section>\n";
}

}  // namespace

std::string audit_page(std::span<const OrderAudit> audits) {
  std::vector<std::string> names;
  std::string sections;
  for (const OrderAudit& audit : audits) {
    names.push_back(audit.test);
    sections += section(audit);
  }
  const std::string title = fmt::format("memory orders of {}", fmt::join(names, ", "));
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0} · plumb</title>\n"
      "<style>\n{1}{2}{3}</style>\n</head>\n<body class=\"test\">\n"
      "<header><div class=\"headline\"><h1>{0}</h1><span class=\"spring\"></span>"
      "<button id=\"theme\" title=\"light or dark\">◐</button></div></header>\n<div "
      "class=\"content\">\n{4}</div>\n"
      "<script type=\"application/json\" "
      "id=\"data\">{{}}</script>\n<script>\n{5}</script>\n</body>\n</html>\n",
      text(title), assets::kStyle, assets::kTestStyle, assets::kAuditStyle, sections, assets::kTestScript);
}

std::string rendered(std::span<const OrderAudit> audits, ReportFormat format) {
  if (format == ReportFormat::kHtml) return audit_page(audits);
  std::string all;
  for (const OrderAudit& audit : audits)
    all += format == ReportFormat::kJson ? audit.json() + "\n" : audit.report;
  return all;
}

}  // namespace testing

std::string OrderAudit::page() const { return testing::audit_page({this, 1}); }

}  // namespace plumb
