// The share of linearizable histories that hitting families prove, by depth: a line per model, the names beside
// it.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "report/depth.hpp"
#include "report/markup.hpp"

namespace plumb {
namespace {

constexpr double kLeft = 56;
constexpr double kTop = 24;
constexpr double kWidth = 460;
constexpr double kHeight = 300;
constexpr double kLegend = 230;
constexpr double kLegendLine = 20;
constexpr double kBottom = 52;
constexpr std::array kColors = {"#3b6fb6", "#d1603b", "#2f9e6e", "#8a5cc2", "#b8860b",
                                "#c2437a", "#4aa3b8", "#7a8c2e", "#6b7280", "#a0522d"};

constexpr std::string_view kStyle = R"(<style>
.plumb-plot{--back:#fff;--text:#1f2430;--soft:#667085;--line:#e4e7ec}
@media (prefers-color-scheme:dark){.plumb-plot{--back:#14171d;--text:#e6e9ef;--soft:#98a2b3;--line:#2a303b}}
.plumb-plot text{font:12px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:var(--text)}
.plumb-plot .soft{fill:var(--soft)}
.plumb-plot .back{fill:var(--back)}
.plumb-plot .grid{stroke:var(--line)}
.plumb-plot path{fill:none;stroke-width:1.8}
</style>
)";

class Plot {
 public:
  Plot(const std::vector<DepthGroup>& groups, unsigned deepest) : deepest_(deepest) {
    std::ranges::copy_if(groups, std::back_inserter(groups_),
                         [](const DepthGroup& g) { return g.linearizable != 0; });
    // The axis begins at a ten below the lowest point.
    for (const DepthGroup& g : groups_) lowest_ = std::min(lowest_, 10 * static_cast<int>(share(g, 1) / 10));
    lowest_ = std::min(lowest_, 90);
  }

  std::string draw() const {
    const double height = std::max(kTop + kHeight + kBottom,
                                   kTop + kLegendLine * static_cast<double>(groups_.size()) + kBottom);
    std::string out = fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" class="plumb-plot" viewBox="0 0 {0:.0f} {1:.0f}" width="{0:.0f}" height="{1:.0f}" role="img" aria-label="Share of linearizable histories proved by hitting families, by depth">)"
        "\n",
        kLeft + kWidth + kLegend, height);
    out += kStyle;
    out += R"(<rect class="back" width="100%" height="100%"/>)"
           "\n";
    axes(out);
    for (std::size_t i = 0; i < groups_.size(); ++i) line(out, i);
    return out + "</svg>\n";
  }

 private:
  [[nodiscard]] static double share(const DepthGroup& group, unsigned depth) {
    return 100.0 * static_cast<double>(group.proved[depth - 1]) / static_cast<double>(group.linearizable);
  }
  [[nodiscard]] double x(unsigned depth) const {
    return deepest_ == 1 ? kLeft : kLeft + kWidth * (depth - 1) / (deepest_ - 1);
  }
  [[nodiscard]] double y(double percent) const {
    return kTop + kHeight * (100 - percent) / static_cast<double>(100 - lowest_);
  }

  void axes(std::string& out) const {
    for (int percent = lowest_; percent <= 100; percent += 10) {
      out += fmt::format(R"(<line class="grid" x1="{0}" x2="{1}" y1="{2:.1f}" y2="{2:.1f}"/>)", kLeft,
                         kLeft + kWidth, y(percent));
      out += fmt::format(R"(<text class="soft" x="{}" y="{:.1f}" text-anchor="end">{} %</text>)"
                         "\n",
                         kLeft - 8, y(percent) + 4, percent);
    }
    for (unsigned depth = 1; depth <= deepest_; ++depth) {
      out += fmt::format(R"(<text class="soft" x="{:.1f}" y="{}" text-anchor="middle">{}</text>)"
                         "\n",
                         x(depth), kTop + kHeight + 20, depth);
    }
    out += fmt::format(R"(<text x="{}" y="{}" text-anchor="middle">depth d</text>)"
                       "\n",
                       kLeft + kWidth / 2, kTop + kHeight + 40);
  }

  void line(std::string& out, std::size_t i) const {
    const DepthGroup& group = groups_[i];
    const char* color = kColors[i % kColors.size()];
    std::string path;
    for (unsigned depth = 1; depth <= deepest_; ++depth) {
      const double at = y(share(group, depth));
      path += fmt::format("{}{:.1f} {:.1f}", depth == 1 ? "M" : "L", x(depth), at);
      out += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="3" fill="{}"/>)", x(depth), at, color);
    }
    out += fmt::format(R"(<path d="{}" stroke="{}"/>)"
                       "\n",
                       path, color);
    const double row = kTop + 10 + kLegendLine * static_cast<double>(i);
    out += fmt::format(
        R"(<rect x="{}" y="{}" width="12" height="12" fill="{}"/><text x="{}" y="{}">{}</text>)"
        "\n",
        kLeft + kWidth + 24, row - 10, color, kLeft + kWidth + 42, row, markup_escaped(group.model));
  }

  std::vector<DepthGroup> groups_;
  unsigned deepest_;
  int lowest_ = 90;
};

}  // namespace

std::string DepthSummary::plot() const { return Plot(groups_, deepest_).draw(); }

}  // namespace plumb
