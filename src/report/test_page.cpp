#include "report/test_page.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "json/json_writer.hpp"
#include "report/assets.hpp"
#include "report/graph_picture.hpp"
#include "report/markup.hpp"
#include "report/renderers.hpp"
#include "report/waiting_picture.hpp"

namespace plumb {
namespace {

std::string text(std::string_view any) { return markup_escaped(printable_lines(any)); }

std::string last_name(const std::string& file) { return file.substr(file.rfind('/') + 1); }

std::string link_to(const DocumentPlace& place) {
  const std::string shown = fmt::format("{}:{}", text(last_name(place.file)), place.line);
  if (!place.file.starts_with('/')) return fmt::format("<span class=\"place\">{}</span>", shown);
  return fmt::format("<a class=\"place\" href=\"file://{}\" title=\"{}:{}\">{}</a>", text(place.file),
                     text(place.file), place.line, shown);
}

// The serial run that comes closest, with what is different in it.
std::string closest_serial_run(const Document& document) {
  std::string out = "<div class=\"serial\"><h3>The closest serial run</h3><ol>";
  for (const DocumentSerialCall& call : document.serial) {
    if (call.is_missing) continue;
    out += fmt::format("<li{}><span class=\"who\">{}</span><span class=\"code\">{}</span>",
                       call.observed.empty() ? "" : " class=\"differs\"", text(call.who), text(call.call));
    if (!call.observed.empty())
      out += fmt::format("<span class=\"seen\">observed: {}</span>", text(call.observed));
    out += "</li>";
  }
  out += "</ol>";
  for (const DocumentSerialCall& call : document.serial) {
    if (call.is_missing)
      out += fmt::format("<p class=\"soft\">without <span class=\"code\">{}</span> of {}</p>",
                         text(call.call), text(call.who));
  }
  return out + "</div>\n";
}

// The first paragraph is the sentence; the others follow it.
std::string header(const Document& document) {
  const std::size_t end = document.summary.find("\n\n");
  std::string out = fmt::format(
      "<header><div class=\"headline\"><span class=\"pill {0}\">{0}</span><h1>{1}</h1>"
      "<span class=\"soft\">{2}</span><span class=\"spring\"></span>"
      "<button id=\"theme\" title=\"light or dark\">◐</button></div>\n<p id=\"sentence\">{3}</p>\n",
      text(document.verdict), text(document.name), text(document.kind),
      text(document.summary.substr(0, end)));
  if (!document.serial.empty()) {
    out += closest_serial_run(document);
  } else if (end != std::string::npos) {
    out += fmt::format("<pre class=\"serial\">{}</pre>\n", text(document.summary.substr(end + 2)));
  }
  if (!document.suggestion.empty())
    out += fmt::format("<p class=\"suggestion\">{}</p>\n", text(document.suggestion));
  return out + "</header>\n";
}

std::string scenario(const Document& document) {
  if (document.scenario.empty()) return "";
  std::string out = "<section><h2>The scenario</h2>\n<div class=\"columns\">\n";
  for (const DocumentColumn& column : document.scenario) {
    out += fmt::format("<div class=\"column\"><h3>{}</h3><ol>", text(column.title));
    for (std::size_t i = 0; i < column.cells.size(); ++i)
      out += fmt::format("<li class=\"code{}\">{}</li>", column.wrong == i ? " wrong" : "",
                         text(column.cells[i]));
    out += "</ol></div>\n";
  }
  return out + "</div></section>\n";
}

// The lines around a place, that one marked; empty where the file could not be read.
std::string excerpt(const Document& document, const DocumentPlace& place, unsigned around) {
  for (const DocumentSource& source : document.sources) {
    if (source.file != place.file || place.line < source.first ||
        place.line >= source.first + source.lines.size())
      continue;
    std::string out = "<pre class=\"source\">";
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      const auto line = source.first + static_cast<unsigned>(i);
      if (line + around < place.line || line > place.line + around) continue;
      out += fmt::format("<span class=\"line{}\"><span class=\"number\">{}</span>{}</span>",
                         line == place.line ? " here" : "", line, text(source.lines[i]));
    }
    return out + "</pre>";
  }
  return "";
}

// What proves it: for a race both accesses side by side, for a deadlock who waits for whom.
std::string evidence(const Document& document) {
  if (document.evidence.empty()) return "";
  const bool is_race = document.kind == "race" && document.accesses.size() == 2;
  const std::string waiting = waiting_picture(document);
  const std::string_view title = is_race                               ? "The race"
                                 : document.kind == "nondeterministic" ? "Two serial runs"
                                 : document.accesses.empty()           ? "Who sees it"
                                 : waiting.empty()                     ? "What led to it"
                                                                       : "Who waits for whom";
  std::string out = fmt::format("<section><h2>{}</h2>\n{}", title, waiting);
  const bool has_places =
      std::ranges::any_of(document.accesses, [](const auto& each) { return !each.places.empty(); });
  if (!has_places) {
    for (const std::string& line : document.evidence)
      out += fmt::format("<p class=\"code\">{}</p>\n", text(line));
    return out + "</section>\n";
  }
  constexpr unsigned kAround = 3;
  out += fmt::format("<div class=\"columns{}\">\n", is_race ? " race" : "");
  for (const DocumentEvidence& each : document.accesses) {
    out += fmt::format("<div class=\"column\"><h3 class=\"code\">{}</h3>", text(each.what));
    if (!each.places.empty())
      out += fmt::format("<p>{} <span class=\"soft\">{}</span></p>{}", link_to(each.places.front()),
                         text(each.places.front().function), excerpt(document, each.places.front(), kAround));
    out += "</div>\n";
    if (is_race && &each == document.accesses.data())
      out += "<div class=\"missing\"><span>neither happens before the other</span></div>\n";
  }
  return out + "</div></section>\n";
}

std::string step_cell(const Document& document, const DocumentStep& step) {
  const bool is_call = step.action == "call" || step.action == "return";
  std::string out = fmt::format("<div class=\"act{}{}\">", is_call ? " " + step.action : "",
                                is_wrong(document, step) ? " wrong" : "");
  if (step.action.empty()) return out + text(step.what) + "</div>";
  out += fmt::format("<b>{}</b> <span class=\"variable\">{}</span>", text(step.action), text(step.object));
  if (!step.left.empty()) {
    out += fmt::format(" <span class=\"val\">{} → <b>{}</b></span>", text(step.seen), text(step.left));
  } else if (!step.seen.empty()) {
    out += fmt::format(" <span class=\"{}\">{}{}</span>", step.fails ? "fails" : "val",
                       step.fails ? "fails, it is " : "", text(step.seen));
  }
  if (!step.order.empty()) out += fmt::format(" <span class=\"mem\">{}</span>", text(step.order));
  if (!step.note.empty()) out += fmt::format(" <span class=\"older\">{}</span>", text(step.note));
  return out + "</div>";
}

std::string lanes(const Document& document) {
  if (document.trace.empty()) return "";
  std::set<int> threads;
  for (const DocumentStep& step : document.trace) threads.insert(step.thread);
  std::string graph = graph_picture(document);
  if (!graph.empty()) graph = "<div id=\"graph\">" + graph + "</div>";
  std::string out =
      fmt::format("<section class=\"run\"><h2>The {}</h2>\n", graph.empty() ? "interleaving" : "execution");
  if (!graph.empty())
    out +=
        "<p id=\"views\" class=\"segmented\" hidden><button data-view=\"graph\">graph</button><button "
        "data-view=\"lanes\">steps, in the order they were run</button></p>\n";
  out +=
      "<p class=\"soft hint\"><kbd>↓</kbd> <kbd>↑</kbd> step, "
      "<kbd>n</kbd> <kbd>p</kbd> next and previous change of threads, <kbd>Home</kbd> <kbd>End</kbd></p>\n"
      "<div class=\"stepper\"><div>" +
      graph + "<div class=\"lanes\"><table id=\"lanes\" tabindex=\"0\"><thead><tr><th></th>";
  for (const int thread : threads)
    out += thread == 0 ? std::string("<th>the test</th>") : fmt::format("<th>thread {}</th>", thread);
  out += "<th></th></tr></thead>\n<tbody>\n";
  int last = -1;
  for (std::size_t i = 0; i < document.trace.size(); ++i) {
    const DocumentStep& step = document.trace[i];
    out += fmt::format("<tr data-step=\"{}\"{}><td class=\"soft\">{}</td>", i,
                       step.thread != last && last >= 0 ? " class=\"switch\"" : "", i + 1);
    last = step.thread;
    for (const int thread : threads)
      out += thread == step.thread ? "<td>" + step_cell(document, step) + "</td>" : std::string("<td></td>");
    out += fmt::format("<td>{}</td></tr>\n", step.places.empty() ? "" : link_to(step.places.front()));
  }
  return out + fmt::format(
                   "</tbody></table></div></div>\n<div id=\"panel\" hidden><h3 id=\"at\"></h3><p id=\"did\" "
                   "class=\"code\"></p><p id=\"note\"></p><div id=\"where\"></div><h3>{} after this "
                   "step</h3><table id=\"values\"></table></div></div></section>\n",
                   graph.empty() ? "Values" : "Newest values");
}

// The history as it was observed: only where the picture says the same as the page.
std::string picture(const Document& document, const ReportStyle& style) {
  if (!document.history || document.history->verdict().outcome != Outcome::kViolation) return "";
  return "<section><h2>The history</h2>\n" + render_svg(document, style) + "</section>\n";
}

std::string commands(const Document& document) {
  std::string out;
  for (const std::string& remark : document.remarks) {  // what follows its first paragraph is a program
    const std::size_t end = std::min(remark.find("\n\n"), remark.size());
    out += fmt::format("<p>{}</p>\n", text(remark.substr(0, end)));
    if (end < remark.size())
      out += fmt::format("<pre class=\"code\">{}</pre>\n", text(remark.substr(end + 2)));
  }
  for (const DocumentCommand& command : document.commands)
    out += fmt::format(
        "<div class=\"command\"><span class=\"soft\">{}</span><code>{}</code><button "
        "class=\"copy\">Copy</button></div>\n",
        text(command.label), text(command.line));
  return out.empty() ? out : "<section><h2>Again</h2>\n" + out + "</section>\n";
}

// What the script needs: steps in parts, and the source.
std::string data(const Document& document) {
  JsonWriter json;
  json.object([&] {
    json.key("steps").array(document.trace, [&](const DocumentStep& step) {
      json.object([&] {
        json.member("thread", step.thread);
        json.member("what", step.what);
        json.member("action", step.action);
        json.member("object", step.object);
        json.member("seen", step.seen);
        json.member("left", step.left);
        json.member("note", step.note);
        json.key("places").array(step.places, [&](const DocumentPlace& place) {
          json.object([&] {
            json.member("file", place.file);
            json.member("line", place.line);
            json.member("function", place.function);
          });
        });
      });
    });
    json.key("sources").array(document.sources, [&](const DocumentSource& source) {
      json.object([&] {
        json.member("file", source.file);
        json.member("first", source.first);
        json.key("lines").array(source.lines);
      });
    });
  });
  return json.take();
}

}  // namespace

std::string test_page(const Document& document, const ReportStyle& style) {
  const std::string title = fmt::format("{}: {}", document.name, document.kind);
  return fmt::format(
             "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
             "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{} · "
             "plumb</title>\n"
             "<style>\n{}{}</style>\n</head>\n<body class=\"test\">\n",
             text(title), assets::kStyle, assets::kTestStyle) +
         header(document) + "<div class=\"content\">\n" + scenario(document) + evidence(document) +
         lanes(document) + picture(document, style) + commands(document) +
         "</div>\n<script type=\"application/json\" id=\"data\">" + json_for_script(data(document)) +
         "</script>\n<script>\n" + std::string(assets::kTestScript) + "</script>\n</body>\n</html>\n";
}

}  // namespace plumb
