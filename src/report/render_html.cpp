// A document as one page that needs nothing else: that of a test, with its interleaving to step through; or, of a history with nothing
// beside it, a page to look around in.
#include "report/history_document.hpp"
#include "report/history_page.hpp"
#include "report/renderers.hpp"
#include "report/test_page.hpp"

namespace plumb {

std::string render_html(const Document& document, const ReportStyle& style) {
  if (document.history && document.scenario.empty() && document.trace.empty())
    return history_page(history_document(document.history));
  return test_page(document, style);
}

}  // namespace plumb
