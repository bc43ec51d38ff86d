// One page that needs nothing else: the report as JSON, the script that shows it, and, for paper and for browsers without
// scripts, the picture of the core with the steps up to it.
#include <array>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/assets.hpp"
#include "report/document.hpp"
#include "report/markup.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostRows = 60;  // on paper

std::string row(std::string_view number, const Document& document, OperationId i, std::string_view state) {
  return fmt::format(
      "<tr><td>{}</td><td>process {}</td><td class=\"code\">{}</td><td class=\"code\">{}</td></tr>\n", number,
      markup_escaped(document.process_name(i)), markup_escaped(document.whole(i)),
      markup_escaped(printable(state)));
}

std::string steps_table(const Document& document) {
  std::string out = fmt::format(
      "<table>\n<tr><th></th><th></th><th>operation</th><th>{} after it</th></tr>\n", document.state_name());
  if (document.explanation()) {
    const auto& prefix = document.explanation()->prefix;
    for (std::size_t k = 0; k < std::min(prefix.size(), kMostRows); ++k) {
      out += row(fmt::format("{}", k + 1), document, prefix[k].operation, prefix[k].state);
    }
    out += row("✗", document, document.explanation()->impossible,
               "allowed: " + joined(document.allowed(), " or "));
  } else {
    const ReportOrder& order = document.order();
    for (std::size_t k = 0; k < std::min({order.operations.size(), order.states.size(), kMostRows}); ++k) {
      out += row(fmt::format("{}", k + 1), document, order.operations[k], order.states[k]);
    }
  }
  return out + "</table>\n";
}

std::string paper(const Document& document) {
  return fmt::format("<h1>{}: {}</h1>\n<p>{}</p>\n", markup_escaped(document.title()),
                     to_string(document.verdict().outcome), markup_escaped(document.facts())) +
         render_svg(document) + steps_table(document);
}

}  // namespace

std::string render_html(const Document& document) {
  const std::array<std::pair<std::string_view, std::string>, 5> parts = {{
      {"@TITLE@", markup_escaped(document.title()) + " · plumb"},
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
