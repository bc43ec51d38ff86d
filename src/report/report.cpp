// From a verdict to a report in one of the formats.
#include <plumb/report.hpp>

#include <array>
#include <utility>

#include <fmt/format.h>

#include "report/history_view.hpp"

namespace plumb {

Result<std::string> make_report(const History& history, const Model& model, const Verdict& verdict,
                                ReportFormat format, const ReportSource& source, const ReportStyle& style,
                                const CheckOptions& options) {
  const bool glance = format == ReportFormat::kText || format == ReportFormat::kSvg;
  const auto view =
      HistoryView::make(history, model, verdict, source, options, glance ? Detail::kGlance : Detail::kAll);
  if (!view) return view.error();
  switch (format) {
    case ReportFormat::kText:
      return render_text(*view, style);
    case ReportFormat::kHtml:
      return render_html(*view);
    case ReportFormat::kSvg:
      return render_svg(*view);
    case ReportFormat::kJson:
      break;
  }
  return render_json(*view);
}

Result<ReportFormat> report_format(std::string_view file) {
  constexpr std::array<std::pair<std::string_view, ReportFormat>, 4> kEndings = {{
      {".html", ReportFormat::kHtml},
      {".svg", ReportFormat::kSvg},
      {".txt", ReportFormat::kText},
      {".json", ReportFormat::kJson},
  }};
  for (const auto& [ending, format] : kEndings) {
    if (file.ends_with(ending)) return format;
  }
  return Error{fmt::format(
      "no report is made into '{}'; expected a name that ends in .html, .svg, .txt or .json", file)};
}

}  // namespace plumb
