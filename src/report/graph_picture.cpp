#include "report/graph_picture.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/markup.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostSteps = 600;  // of a longer execution, those are drawn that say something
constexpr int kWide = 256;
constexpr int kHigh = 40;
constexpr int kBetween = 84;  // columns: room for the lines
constexpr int kPitch = 54;    // rows
constexpr int kHead = 34;     // the names of the threads
constexpr std::size_t kLetters = 33;

std::string text(std::string_view any) { return markup_escaped(printable(any)); }

bool is_call(const DocumentStep& step) { return step.action == "call" || step.action == "return"; }

// Of a long execution: what is called, what lines join, and how each thread ends; the last of these if they are many.
std::vector<bool> worth_drawing(const std::vector<DocumentStep>& trace) {
  std::vector<bool> drawn(trace.size(), trace.size() <= kMostSteps);
  if (trace.size() <= kMostSteps) return drawn;
  const auto join = [&](std::size_t from, std::size_t to) {
    if (trace[from].thread != trace[to].thread) drawn[from] = drawn[to] = true;
  };
  std::map<int, std::size_t> last;  // of each thread
  for (std::size_t i = 0; i < trace.size(); ++i) {
    if (is_call(trace[i])) drawn[i] = true;
    if (trace[i].read_from) join(*trace[i].read_from, i);
    if (trace[i].newer) drawn[i] = drawn[*trace[i].newer] = true;
    for (const std::size_t from : trace[i].synchronises_with) join(from, i);
    last[trace[i].thread] = i;
  }
  for (const auto& [thread, i] : last) drawn[i] = true;
  std::size_t room = kMostSteps;
  for (std::size_t i = trace.size(); i-- > 0;) {
    if (drawn[i] && room == 0) drawn[i] = false;
    if (drawn[i]) --room;
  }
  return drawn;
}

// What is drawn as one: a step, or some in a row of one thread that are put together.
struct Node {
  std::size_t first = 0;
  std::size_t last = 0;
  std::size_t steps = 1;
  int row = 0;
};

std::vector<Node> nodes_of(const std::vector<DocumentStep>& trace) {
  const std::vector<bool> drawn = worth_drawing(trace);
  std::vector<Node> nodes;
  std::map<int, std::size_t> open;  // the node to which the next steps of a thread belong
  for (std::size_t i = 0; i < trace.size(); ++i) {
    const int thread = trace[i].thread;
    const auto put_together = open.find(thread);
    if (!drawn[i] && put_together != open.end()) {
      nodes[put_together->second].last = i;
      ++nodes[put_together->second].steps;
      continue;
    }
    if (drawn[i]) {
      open.erase(thread);
    } else {
      open[thread] = nodes.size();
    }
    nodes.push_back({.first = i, .last = i});
  }
  return nodes;
}

class GraphPicture {
 public:
  explicit GraphPicture(const Document& document)
      : document_(document), trace_(document.trace), nodes_(nodes_of(document.trace)) {
    for (const DocumentStep& step : trace_) columns_.try_emplace(step.thread, 0);
    int column = 0;
    for (auto& [thread, number] : columns_) number = column++;
    set_rows();
  }

  [[nodiscard]] bool is_whole() const { return nodes_.size() == trace_.size(); }

  [[nodiscard]] std::string draw() const {
    std::string lines;
    std::string nodes;
    for (const Node& each : nodes_) {
      nodes += each.steps > 1 ? several(each) : node(each.first);
      if (each.steps == 1) lines += lines_to(each.first);
    }
    std::string heads;
    for (const auto& [thread, column] : columns_)
      heads += fmt::format("<text class=\"head\" x=\"{}\" y=\"18\">{}</text>\n", left(column) + kWide / 2,
                           thread == 0 ? std::string("the test") : fmt::format("thread {}", thread));
    const int width = static_cast<int>(columns_.size()) * (kWide + kBetween) - kBetween + 20;
    const int height = kHead + (1 + std::ranges::max_element(nodes_, {}, &Node::row)->row) * kPitch;
    return fmt::format(
        "<svg class=\"graph\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" style=\"--whole: {0}px\" "
        "role=\"img\" "
        "aria-label=\"the execution graph\">\n<defs>{2}{3}{4}</defs>\n{5}{6}{7}</svg>\n",
        width, height, tip("rf"), tip("sw"), tip("unseen"), heads, lines, nodes);
  }

 private:
  // Below what comes before it in its thread, and below what it read: there is no other order.
  void set_rows() {
    std::map<int, int> next;  // of each thread
    int all = 0;              // below everything
    int threads = 0;          // below what the test did before
    for (Node& each : nodes_) {
      const DocumentStep& step = trace_[each.first];
      each.row = std::max(next[step.thread], step.thread == 0 ? all : threads);
      const auto come_after = [&](std::size_t other) {
        if (const auto known = rows_.find(other); known != rows_.end())
          each.row = std::max(each.row, known->second + 1);
      };
      if (step.read_from) come_after(*step.read_from);
      for (const std::size_t other : step.synchronises_with) come_after(other);
      if (each.steps == 1) rows_[each.first] = each.row;
      next[step.thread] = each.row + 1;
      all = std::max(all, each.row + 1);
      if (step.thread == 0) threads = each.row + 1;
    }
  }

  // One of the two is enough where a step synchronises with what it read.
  [[nodiscard]] std::string lines_to(std::size_t i) const {
    const DocumentStep& step = trace_[i];
    const auto synchronises_with = [&](std::size_t other) {
      return std::ranges::find(step.synchronises_with, other) != step.synchronises_with.end();
    };
    std::string out;
    if (step.read_from && !synchronises_with(*step.read_from) &&
        trace_[*step.read_from].thread != step.thread)
      out += line(*step.read_from, i, "rf");
    for (const std::size_t other : step.synchronises_with) out += line(other, i, "sw");
    if (step.newer) out += line(*step.newer, i, "unseen");
    return out;
  }

  [[nodiscard]] static int left(int column) { return 10 + column * (kWide + kBetween); }
  [[nodiscard]] int top(std::size_t i) const { return kHead + rows_.at(i) * kPitch; }

  [[nodiscard]] static std::string tip(std::string_view of) {
    return fmt::format(
        "<marker id=\"tip-{0}\" class=\"{0}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker>",
        of);
  }

  // From the side of one node that faces the other, and into its side.
  [[nodiscard]] std::string line(std::size_t from, std::size_t to, std::string_view what) const {
    if (!rows_.contains(from)) return "";  // that is not drawn
    const int source = columns_.at(trace_[from].thread);
    const int target = columns_.at(trace_[to].thread);
    const bool rightwards = source < target;
    const int x1 = left(source) + (rightwards || source == target ? kWide : 0);
    const int x2 = left(target) + (rightwards ? 0 : kWide);
    const int shift = what == "unseen" ? 8 : -4;
    const int y1 = top(from) + kHigh / 2 + shift;
    const int y2 = top(to) + kHigh / 2 + shift;
    const int bend = source == target ? 40 : (rightwards ? 1 : -1) * (kBetween - 10);
    return fmt::format(
        "<path class=\"{}\" data-from=\"{}\" data-to=\"{}\" d=\"M{} {} C{} {} {} {} {} {}\"/>\n", what, from,
        to, x1, y1, x1 + bend, y1, source == target ? x2 + bend : x2 - bend, y2, x2, y2);
  }

  [[nodiscard]] std::string several(const Node& node) const {
    const int thread = trace_[node.first].thread;
    const int x = left(columns_.at(thread));
    const int y = kHead + node.row * kPitch;
    return fmt::format(
        "<g class=\"event several\" data-node=\"{}\" data-last=\"{}\" data-thread=\"{}\"><title>{} "
        "steps</title>"
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/><text x=\"{}\" y=\"{}\">⋯ {} "
        "steps</text></g>\n",
        node.first, node.last, thread, node.steps, x, y + 6, kWide, kHigh - 12, x + 10, y + 24, node.steps);
  }

  [[nodiscard]] std::string node(std::size_t i) const {
    const DocumentStep& step = trace_[i];
    const bool is_at_border = is_call(step);
    const int x = left(columns_.at(step.thread));
    const int y = top(i);
    std::string out = fmt::format("<g class=\"event{}{}{}\" data-node=\"{}\"><title>{}</title>",
                                  is_at_border ? " call" : "", step.newer ? " older" : "",
                                  is_wrong(document_, step) ? " wrong" : "", i,
                                  text(step.note.empty() ? step.what : step.what + ": " + step.note));
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>", x,
                       is_at_border ? y + 6 : y, kWide, is_at_border ? kHigh - 12 : kHigh);
    if (is_at_border)
      return out + fmt::format("<text x=\"{}\" y=\"{}\">{}</text></g>\n", x + 10, y + 24,
                               text(end_of(step.action + " " + step.object, kLetters)));
    const std::string_view mark = step.newer ? "older value" : "";
    out += fmt::format(
        "<text x=\"{0}\" y=\"{1}\"><tspan class=\"action\">{2}</tspan> <tspan "
        "class=\"order\">{3}</tspan></text>"
        "<text class=\"mark\" x=\"{4}\" y=\"{1}\">{5}</text>",
        x + 10, y + 16, text(step.action), text(step.order), x + kWide - 10, mark);
    const std::string value =
        step.left.empty() ? (step.fails ? "fails: " : "") + step.seen : step.seen + " → " + step.left;
    const std::string shown = end_of(value, kLetters - 10);
    const std::size_t taken = value.empty() ? 0 : std::min(value.size(), kLetters - 10) + 1;
    out += fmt::format("<text x=\"{}\" y=\"{}\">{} <tspan class=\"value\">{}</tspan></text>", x + 10, y + 32,
                       text(end_of(step.object, kLetters - taken)), text(shown));
    return out + "</g>\n";
  }

  const Document& document_;
  const std::vector<DocumentStep>& trace_;
  std::vector<Node> nodes_;
  std::map<int, int> columns_;       // of threads
  std::map<std::size_t, int> rows_;  // of the steps that are drawn
};

}  // namespace

bool is_wrong(const Document& document, const DocumentStep& step) {
  if (step.action != "return") return false;
  return std::ranges::any_of(document.scenario, [&](const DocumentColumn& column) {
    return column.wrong && column.title == fmt::format("thread {}", step.thread) &&
           step.object == "from " + column.cells[*column.wrong];
  });
}

std::string graph_picture(const Document& document) {
  const bool has_graph = std::ranges::any_of(
      document.trace, [](const DocumentStep& step) { return step.read_from || step.newer; });
  if (!has_graph) return "";
  const GraphPicture picture(document);
  const std::string_view rest =
      picture.is_whole() ? "" : " &nbsp; ⋯ steps that no line leads to, or long before the end";
  return fmt::format(
      "<p class=\"soft graph-key\"><span class=\"rf\">– –▸</span> its value is read &nbsp; "
      "<span class=\"sw\">——▸</span> it synchronises: what came before is seen &nbsp; "
      "<span class=\"unseen\">····▸</span> a newer value, not seen{}</p>\n<div class=\"drawing\">{}</div>",
      rest, picture.draw());
}

}  // namespace plumb
