// The page of a history: its document as JSON, the script that shows it, and, for paper and for
// browsers without scripts, the picture of the core with the steps up to it.
#include "report/history_page.hpp"

#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/assets.hpp"
#include "report/markup.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostRows = 60;  // on paper

std::string row(std::string_view number, const HistoryView& view, OperationId i, std::string_view state) {
  return fmt::format(
      "<tr><td>{}</td><td>process {}</td><td class=\"code\">{}</td><td class=\"code\">{}</td></tr>\n", number,
      markup_escaped(view.process_name(i)), markup_escaped(view.whole(i)), markup_escaped(printable(state)));
}

std::string steps_table(const HistoryView& view) {
  std::string out = fmt::format(
      "<table>\n<tr><th></th><th></th><th>operation</th><th>{} after it</th></tr>\n", view.state_name());
  if (view.explanation()) {
    const auto& prefix = view.explanation()->prefix;
    for (std::size_t k = 0; k < std::min(prefix.size(), kMostRows); ++k) {
      out += row(fmt::format("{}", k + 1), view, prefix[k].operation, prefix[k].state);
    }
    out += row("✗", view, view.explanation()->impossible, "allowed: " + joined(view.allowed(), " or "));
  } else {
    const ReportOrder& order = view.order();
    for (std::size_t k = 0; k < std::min({order.operations.size(), order.states.size(), kMostRows}); ++k) {
      out += row(fmt::format("{}", k + 1), view, order.operations[k], order.states[k]);
    }
  }
  return out + "</table>\n";
}

std::string paper(const Document& document) {
  const HistoryView& view = *document.history;
  const History& history = view.history();
  const std::string object =
      view.explanation() && history.has_objects()
          ? ", object " + printable(history.values().to_json(history.object(view.explanation()->impossible)))
          : "";
  return fmt::format("<h1>{}: {}</h1>\n<p>{}{}</p>\n", markup_escaped(view.title()),
                     to_string(view.verdict()), markup_escaped(view.facts()), markup_escaped(object)) +
         render_svg(document) + steps_table(view);
}

}  // namespace

std::string history_page(const Document& document) {
  const std::array<std::pair<std::string_view, std::string>, 5> parts = {{
      {"@TITLE@", markup_escaped(document.history->title()) + " · plumb"},
      {"@STYLE@", std::string(assets::kStyle)},
      {"@PAPER@", paper(document)},
      {"@DATA@", json_for_script(render_json(document))},
      {"@SCRIPT@", std::string(assets::kScript)},
  }};
  std::string out;
  std::string_view rest = assets::kPage;
  for (const auto& [name, text] :
       parts) {  // in the order of the page: what was put in is not looked at again
    const std::size_t at = rest.find(name);
    out += rest.substr(0, at);
    out += text;
    rest.remove_prefix(at + name.size());
  }
  return out + std::string(rest);
}

}  // namespace plumb
