// Documents as pictures, for papers and READMEs. Of a history: the core of a violation, or the beginning of a history, in lanes by
// process, with the order in which operations can take effect, and the sentence below.
//
// Time runs to the right, but not to scale: what happens next stands as far to the right as the texts need
// it.
#include <algorithm>
#include <cmath>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/markup.hpp"
#include "report/renderers.hpp"
#include "report/timeline.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostOperations = 30;
constexpr std::size_t kSmallHistory = 12;  // that is shown with all that is in it
constexpr std::size_t kLongestLabel = 44;  // characters
constexpr double kLaneHeight = 50;
constexpr double kBarHeight = 28;
constexpr double kPadding = 24;
constexpr double kTop = 34;          // above the first lane: what is not shown is told there
constexpr double kCodeWidth = 7.25;  // of a character, 12 pixels high
constexpr double kProseWidth = 6.9;  // 13.5 pixels high, on average
constexpr double kLineHeight = 20;   // of the caption
constexpr double kNarrowest = 560;
constexpr double kWordsWidth = 720;
constexpr double kPointRadius = 7.5;

constexpr std::string_view kStyle = R"(<style>
.plumb-figure{--back:#fff;--text:#1f2430;--soft:#667085;--line:#e4e7ec;--bar:#eaf1fb;--edge:#7ea3d6;--ink:#1d3a66;--bad:#fdeaea;--bad-edge:#d13b3b;--bad-ink:#a01818;--point:#1d3a66;--point-ink:#fff}
@media (prefers-color-scheme:dark){.plumb-figure{--back:#14171d;--text:#e6e9ef;--soft:#98a2b3;--line:#2a303b;--bar:#1c2a40;--edge:#4f78b0;--ink:#cfe0fa;--bad:#40191c;--bad-edge:#e5595c;--bad-ink:#ffc2c2;--point:#cfe0fa;--point-ink:#14171d}}
.plumb-figure text{font:13.5px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--text)}
.plumb-figure .code{font:12px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.plumb-figure .soft{fill:var(--soft);font-size:12px}
.plumb-figure .number{font-size:9.5px;font-weight:600;fill:var(--point-ink);text-anchor:middle}
.plumb-figure .back{fill:var(--back)}
.plumb-figure .lane{stroke:var(--line)}
.plumb-figure .gap{stroke:var(--soft);stroke-dasharray:2 4}
.plumb-figure .path{fill:none;stroke:var(--point);stroke-width:1.2;stroke-dasharray:4 3;opacity:.55}
.plumb-figure .bar rect{fill:var(--bar);stroke:var(--edge)}
.plumb-figure .bar text{fill:var(--ink);text-anchor:middle}
.plumb-figure .other{opacity:.5}
.plumb-figure .bad rect{fill:var(--bad);stroke:var(--bad-edge);stroke-width:1.8}
.plumb-figure .bad text{fill:var(--bad-ink);font-weight:600}
.plumb-figure .point{fill:var(--point);stroke:var(--back);stroke-width:1.5}
</style>
)";

// Something with a place on the axis.
struct Mark {
  enum class Kind : std::uint8_t { kCall, kReturn, kPoint, kGap };
  Kind kind;
  OperationId operation = 0;
  std::size_t number = 0;  // of a point: which step; of a gap: how many operations
  double x = 0;
};

struct Ends {
  double call = 0;
  double ret = 0;
};

std::string shown(const HistoryView& view, OperationId i) {
  return cut_to_width(view.whole(i), kLongestLabel);
}

// Broken into lines at spaces. What stands between backticks is code.
std::vector<std::string> broken_lines(std::string_view text, double width) {
  std::vector<std::string> lines;
  std::string line;
  double used = 0;
  bool code = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" `", at), text.size());
    const std::string_view word = text.substr(at, end - at);
    const double size = static_cast<double>(width_of(word) + 1) * (code ? kCodeWidth : kProseWidth);
    if (used + size > width && used > 0) {
      lines.push_back(std::exchange(line, ""));
      used = 0;
    }
    used += size;
    line += code && !word.empty() ? fmt::format(R"(<tspan class="code">{}</tspan>)", markup_escaped(word))
                                  : markup_escaped(word);
    if (end < text.size() && text[end] == ' ') line += ' ';
    if (end < text.size() && text[end] == '`') code = !code;
    at = end + 1;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

// The frame that all pictures have; what is in it follows.
std::string opened(double width, double height, std::string_view title) {
  std::string out = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" class="plumb-figure" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img">)"
      "\n<title>{2}</title>\n",
      width, height, markup_escaped(title));
  out += kStyle;
  return out +
         fmt::format("<rect class=\"back\" width=\"{:.0f}\" height=\"{:.0f}\" rx=\"10\"/>\n", width, height);
}

std::string captioned(const std::vector<std::string>& lines, double y) {
  std::string out;
  for (const std::string& line : lines) {
    out += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\">{}</text>\n", kPadding, y, line);
    y += kLineHeight;
  }
  return out;
}

class Picture {
 public:
  explicit Picture(const HistoryView& view)
      : view_(view), timeline_(make_timeline(view, {.most = kMostOperations, .all_up_to = kSmallHistory})) {
    place();
  }

  std::string draw() {
    const std::vector<std::string> caption = caption_lines();
    lanes_bottom_ = kTop + kLaneHeight * static_cast<double>(timeline_.lanes.size());
    const double height =
        lanes_bottom_ + (caption.empty() ? 0 : 14 + kLineHeight * static_cast<double>(caption.size())) + 14;
    out_ = opened(width_, height, view_.title() + ": " + view_.sentence());
    draw_lanes();
    draw_gaps();
    draw_path();
    for (const OperationId i : timeline_.operations) draw_bar(i);
    draw_points();
    out_ += captioned(caption, lanes_bottom_ + 30);
    return out_ + "</svg>\n";
  }

 private:
  // The steps of the order that the picture shows, each right after the event that lets it be.
  [[nodiscard]] std::vector<Mark> marks() const {
    std::vector<OperationId> steps;
    if (view_.explanation()) {
      for (const ExplainedStep& step : view_.explanation()->prefix) steps.push_back(step.operation);
    } else {
      for (const OperationId i : view_.order().operations) {
        if (std::ranges::find(timeline_.operations, i) != timeline_.operations.end()) steps.push_back(i);
      }
    }
    std::vector<Mark> marks;
    std::size_t next = 0;
    for (const Moment& moment : timeline_.moments) {
      if (moment.kind == Moment::Kind::kGap) {
        marks.push_back({.kind = Mark::Kind::kGap, .number = moment.left_out});
        continue;
      }
      const bool is_call = moment.kind == Moment::Kind::kCall;
      marks.push_back(
          {.kind = is_call ? Mark::Kind::kCall : Mark::Kind::kReturn, .operation = moment.operation});
      while (next < steps.size() && view_.call_rank(steps[next]) <= moment.rank) {
        marks.push_back({.kind = Mark::Kind::kPoint, .operation = steps[next], .number = next + 1});
        ++next;
      }
    }
    return marks;
  }

  // From left to right: a little after the one before, and a return after the text of its operation.
  void place() {
    double widest_name = 0;
    for (const OperationId i : timeline_.operations) {
      widest_name = std::max(widest_name, static_cast<double>(width_of(name(i))) * kProseWidth);
    }
    left_ = kPadding + widest_name + 22;
    marks_ = marks();
    double x = left_;
    for (Mark& mark : marks_) {
      switch (mark.kind) {
        case Mark::Kind::kCall:
          ends_[mark.operation].call = mark.x = x += 14;
          break;
        case Mark::Kind::kPoint:
          mark.x = x += 18;
          break;
        case Mark::Kind::kGap:
          mark.x = x += 22;
          x += 8;
          break;
        case Mark::Kind::kReturn: {
          const double text = kCodeWidth * static_cast<double>(width_of(shown(view_, mark.operation)));
          x = std::max(x + 14, ends_[mark.operation].call + text + 22);
          ends_[mark.operation].ret = mark.x = x;
        }
      }
    }
    for (const OperationId i : timeline_.pending) {
      const double text = kCodeWidth * static_cast<double>(width_of(shown(view_, i)));
      x = std::max(x, ends_[i].call + text + 22);
    }
    for (const OperationId i : timeline_.pending) ends_[i].ret = x + 10;
    width_ = std::max(std::ceil(x + kPadding + 4), kNarrowest);
  }

  [[nodiscard]] std::string name(OperationId i) const { return "process " + view_.process_name(i); }

  [[nodiscard]] double lane_y(OperationId i) const {
    const auto at = std::ranges::lower_bound(timeline_.lanes, view_.lane(i)) - timeline_.lanes.begin();
    return kTop + kLaneHeight * static_cast<double>(at) + kBarHeight / 2;
  }

  void draw_lanes() {
    std::vector<bool> done(view_.processes().size());
    for (const OperationId i : timeline_.operations) {
      if (done[view_.lane(i)]) continue;
      done[view_.lane(i)] = true;
      out_ += fmt::format(
          R"(<line class="lane" x1="{:.0f}" x2="{:.0f}" y1="{:.1f}" y2="{:.1f}"/><text class="soft" x="{:.0f}" y="{:.1f}">{}</text>)"
          "\n",
          left_, width_ - kPadding, lane_y(i), lane_y(i), kPadding, lane_y(i) + 4, markup_escaped(name(i)));
    }
  }

  void draw_gaps() {
    for (const Mark& mark : marks_) {
      if (mark.kind != Mark::Kind::kGap) continue;
      out_ += fmt::format(
          R"(<line class="gap" x1="{0:.1f}" x2="{0:.1f}" y1="{1:.0f}" y2="{2:.0f}"/><text class="soft" x="{0:.1f}" y="{3:.0f}" text-anchor="middle">+{4}<title>operations not shown</title></text>)"
          "\n",
          mark.x, kTop - 8, lanes_bottom_ - 10, kTop - 13, mark.number);
    }
  }

  void draw_bar(OperationId i) {
    const Ends ends = ends_.at(i);
    const auto& explanation = view_.explanation();
    const bool bad = explanation && explanation->impossible == i;
    const bool other = explanation && !std::ranges::binary_search(explanation->core, i);
    const std::string_view dashes = view_.history().is_pending(i) ? R"( stroke-dasharray="5 3")" : "";
    out_ += fmt::format(
        R"(<g class="bar{}"><title>{}</title><rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.0f}" rx="6"{}/><text class="code" x="{:.1f}" y="{:.1f}">{}</text></g>)"
        "\n",
        bad     ? " bad"
        : other ? " other"
                : "",
        markup_escaped(name(i) + ": " + view_.whole(i)), ends.call, lane_y(i) - kBarHeight / 2,
        ends.ret - ends.call, kBarHeight, dashes, (ends.call + ends.ret) / 2, lane_y(i) + 4,
        markup_escaped(shown(view_, i)));
  }

  [[nodiscard]] double point_y(OperationId i) const { return lane_y(i) + kBarHeight / 2; }

  void draw_path() {
    std::string path;
    for (const Mark& mark : marks_) {
      if (mark.kind != Mark::Kind::kPoint) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : " L", mark.x, point_y(mark.operation));
    }
    if (!path.empty()) out_ += fmt::format("<path class=\"path\" d=\"{}\"/>\n", path);
  }

  void draw_points() {
    for (const Mark& mark : marks_) {
      if (mark.kind != Mark::Kind::kPoint) continue;
      out_ += fmt::format(
          R"(<circle class="point" cx="{0:.1f}" cy="{1:.1f}" r="{2}"/><text class="number" x="{0:.1f}" y="{3:.1f}">{4}</text>)"
          "\n",
          mark.x, point_y(mark.operation), kPointRadius, point_y(mark.operation) + 3.4, mark.number);
    }
  }

  [[nodiscard]] std::vector<std::string> caption_lines() const {
    std::string text = view_.sentence();
    if (!view_.explanation() && timeline_.operations.size() < view_.history().size()) {
      text += fmt::format(" The picture shows the first {}.", timeline_.operations.size());
    }
    return broken_lines(text, width_ - 2 * kPadding);
  }

  const HistoryView& view_;
  Timeline timeline_;
  std::vector<Mark> marks_;
  absl::flat_hash_map<OperationId, Ends> ends_;
  double left_ = 0;
  double width_ = 0;
  double lanes_bottom_ = 0;
  std::string out_;
};

// Without a history there is nothing to draw: what is wrong, in words.
std::string words_only(const Document& document) {
  const std::string title =
      printable(fmt::format("{} {}: {}", document.verdict, document.name, document.kind));
  std::vector<std::string> lines = {markup_escaped(title), ""};
  const auto add = [&](std::string_view text) {
    for (const std::string& line : broken_lines(printable(text), kWordsWidth - 2 * kPadding))
      lines.push_back(line);
  };
  for (std::string_view rest = document.summary; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    add(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  for (const std::string& line : document.evidence) add(line);
  const double height = kTop + kLineHeight * static_cast<double>(lines.size());
  return opened(kWordsWidth, height, title) + captioned(lines, kTop) + "</svg>\n";
}

}  // namespace

std::string render_svg(const Document& document, const ReportStyle& /*style*/) {
  return document.history ? Picture(*document.history).draw() : words_only(document);
}

}  // namespace plumb
