// From a verdict to a report in one of the formats.
#include <plumb/report.hpp>

#include <memory>
#include <utility>

#include <fmt/format.h>

#include "report/history_document.hpp"
#include "report/renderers.hpp"

namespace plumb {

Result<std::string> make_report(const History& history, const Model& model, const Verdict& verdict,
                                ReportFormat format, const ReportSource& source, const ReportStyle& style,
                                const CheckOptions& options) {
  const Renderer& renderer = renderer_of(format);
  auto view =
      HistoryView::make(borrowed(history), model, borrowed(verdict), source, options, renderer.detail);
  if (!view) return view.error();
  const auto shared = std::make_shared<const HistoryView>(std::move(view).value());
  return renderer.render(history_document(shared), style);
}

Result<ReportFormat> report_format(std::string_view file) {
  for (const Renderer& renderer : kRenderers) {
    if (file.ends_with(renderer.ending)) return renderer.format;
  }
  return Error{fmt::format("no report is made into '{}'; expected a name that ends in {}", file,
                           kReportEndings.view())};
}

}  // namespace plumb
