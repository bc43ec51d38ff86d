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

constexpr std::size_t kMostSteps = 600;  // more than this is no picture
constexpr int kWide = 256;
constexpr int kHigh = 40;
constexpr int kBetween = 84;  // columns: room for the lines
constexpr int kPitch = 54;    // rows
constexpr int kHead = 34;     // the names of the threads
constexpr std::size_t kLetters = 33;

std::string text(std::string_view any) { return markup_escaped(printable(any)); }

// The end says more than the beginning: "…queue.cells_[0]".
std::string shortened(const std::string& name, std::size_t room) {
  if (name.size() <= room) return name;
  std::size_t from = name.size() - room + 1;
  while (from < name.size() && (static_cast<unsigned char>(name[from]) & 0xC0U) == 0x80U) ++from;
  return "…" + name.substr(from);
}

class GraphPicture {
 public:
  explicit GraphPicture(const Document& document) : document_(document), trace_(document.trace) {
    for (const DocumentStep& step : trace_) columns_.try_emplace(step.thread, 0);
    int column = 0;
    for (auto& [thread, number] : columns_) number = column++;
    set_rows();
  }

  [[nodiscard]] std::string draw() const {
    std::string lines;
    std::string nodes;
    for (std::size_t i = 0; i < trace_.size(); ++i) {
      const DocumentStep& step = trace_[i];
      if (step.read_from && trace_[*step.read_from].thread != step.thread)
        lines += line(*step.read_from, i, step.synchronises ? "sw" : "rf");
      if (step.newer) lines += line(*step.newer, i, "unseen");
      nodes += node(i);
    }
    std::string heads;
    for (const auto& [thread, column] : columns_)
      heads += fmt::format("<text class=\"head\" x=\"{}\" y=\"18\">{}</text>\n", left(column) + kWide / 2,
                           thread == 0 ? std::string("the test") : fmt::format("thread {}", thread));
    const int width = static_cast<int>(columns_.size()) * (kWide + kBetween) - kBetween + 20;
    const int height = kHead + (1 + *std::ranges::max_element(rows_)) * kPitch;
    return fmt::format(
        "<svg class=\"graph\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" role=\"img\" "
        "aria-label=\"the execution graph\">\n<defs>{2}{3}{4}</defs>\n{5}{6}{7}</svg>\n",
        width, height, tip("rf"), tip("sw"), tip("unseen"), heads, lines, nodes);
  }

 private:
  // Below what comes before it in its thread, and below what it read: there is no other order.
  void set_rows() {
    std::map<int, int> next;  // of each thread
    int all = 0;              // below everything
    int threads = 0;          // below what the test did before
    for (const DocumentStep& step : trace_) {
      int row = std::max(next[step.thread], step.thread == 0 ? all : threads);
      if (step.read_from && *step.read_from < rows_.size()) row = std::max(row, rows_[*step.read_from] + 1);
      rows_.push_back(row);
      next[step.thread] = row + 1;
      all = std::max(all, row + 1);
      if (step.thread == 0) threads = row + 1;
    }
  }

  [[nodiscard]] static int left(int column) { return 10 + column * (kWide + kBetween); }
  [[nodiscard]] int top(std::size_t i) const { return kHead + rows_[i] * kPitch; }

  [[nodiscard]] static std::string tip(std::string_view of) {
    return fmt::format(
        "<marker id=\"tip-{0}\" class=\"{0}\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
        "markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0 L8 4 L0 8 z\"/></marker>",
        of);
  }

  // From the side of one node that faces the other, and into its side.
  [[nodiscard]] std::string line(std::size_t from, std::size_t to, std::string_view what) const {
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

  [[nodiscard]] std::string node(std::size_t i) const {
    const DocumentStep& step = trace_[i];
    const bool is_call = step.action == "call" || step.action == "return";
    const int x = left(columns_.at(step.thread));
    const int y = top(i);
    std::string out =
        fmt::format("<g class=\"event{}{}{}\" data-node=\"{}\"><title>{}</title>", is_call ? " call" : "",
                    step.newer ? " older" : "", is_wrong(document_, step) ? " wrong" : "", i,
                    text(step.note.empty() ? step.what : step.what + ": " + step.note));
    out += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"6\"/>", x,
                       is_call ? y + 6 : y, kWide, is_call ? kHigh - 12 : kHigh);
    if (is_call)
      return out + fmt::format("<text x=\"{}\" y=\"{}\">{}</text></g>\n", x + 10, y + 24,
                               text(shortened(step.action + " " + step.object, kLetters)));
    const std::string_view mark = step.newer ? "older value" : "";
    out += fmt::format(
        "<text x=\"{0}\" y=\"{1}\"><tspan class=\"action\">{2}</tspan> <tspan "
        "class=\"order\">{3}</tspan></text>"
        "<text class=\"mark\" x=\"{4}\" y=\"{1}\">{5}</text>",
        x + 10, y + 16, text(step.action), text(step.order), x + kWide - 10, mark);
    const std::string value =
        step.left.empty() ? (step.fails ? "fails: " : "") + step.seen : step.seen + " → " + step.left;
    const std::string shown = shortened(value, kLetters - 10);
    const std::size_t taken = value.empty() ? 0 : std::min(value.size(), kLetters - 10) + 1;
    out += fmt::format("<text x=\"{}\" y=\"{}\">{} <tspan class=\"value\">{}</tspan></text>", x + 10, y + 32,
                       text(shortened(step.object, kLetters - taken)), text(shown));
    return out + "</g>\n";
  }

  const Document& document_;
  const std::vector<DocumentStep>& trace_;
  std::map<int, int> columns_;  // of threads
  std::vector<int> rows_;       // of steps
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
  if (!has_graph || document.trace.size() > kMostSteps) return "";
  return "<p class=\"soft graph-key\"><span class=\"rf\">– –▸</span> its value is read &nbsp; "
         "<span class=\"sw\">——▸</span> and seen is all that came before it &nbsp; "
         "<span class=\"unseen\">····▸</span> a newer value, not seen</p>\n<div class=\"drawing\">" +
         GraphPicture(document).draw() + "</div>";
}

}  // namespace plumb
