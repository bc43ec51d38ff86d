// A timeline for a terminal: time runs downwards. Where there is room, each process has a
// column with its operations in it; where there is not, a process is a rail, and what happens
// stands to the right of the rails.
#include <algorithm>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "history/printable.hpp"
#include "report/paint.hpp"
#include "report/timeline.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMargin = 2;
constexpr std::size_t kGap = 2;             // between columns
constexpr std::size_t kNarrowest = 14;      // a column that can still be read
constexpr std::size_t kNarrowestText = 18;  // beside rails

// Cut or filled up to a width.
std::string fitted(std::string_view text, std::size_t width) {
  std::string out = cut_to_width(text, width);
  return out + std::string(width - std::min(width, width_of(out)), ' ');
}

class TimelineText {
 public:
  TimelineText(const HistoryView& view, const Timeline& timeline, const ReportStyle& style)
      : view_(view), timeline_(timeline), style_(style), busy_(timeline.lanes.size(), kIdle) {
    choose_widths();
  }

  std::string write() {
    heading();
    for (const Moment& moment : timeline_.moments) row(moment);
    for (const OperationId i : timeline_.pending) end_pending(i);
    return std::move(out_);
  }

 private:
  static constexpr OperationId kIdle = HistoryView::kNone;

  [[nodiscard]] std::size_t column_of(OperationId i) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(timeline_.lanes, view_.lane(i)) -
                                    timeline_.lanes.begin());
  }

  // A column is as wide as its longest text; if that is too much together, the widest give way.
  void choose_widths() {
    widths_.assign(timeline_.lanes.size(), 0);
    for (const OperationId i : timeline_.operations) {
      auto& width = widths_[column_of(i)];
      width = std::max({width, width_of("process " + view_.process_name(i)), 2 + width_of(longest_text(i))});
    }
    const std::size_t room = style_.width - std::min(style_.width, kMargin);
    const auto needed = [&] {
      std::size_t sum = 0;
      for (const std::size_t width : widths_) sum += width + kGap;
      return sum;
    };
    while (needed() > room) {
      auto widest = std::ranges::max_element(widths_);
      if (widest == widths_.end() || *widest <= kNarrowest) {
        rails_ = true;
        return;
      }
      --*widest;
    }
  }

  [[nodiscard]] std::string longest_text(OperationId i) const {
    const bool joined = std::ranges::any_of(timeline_.moments, [&](const Moment& moment) {
      return moment.kind == Moment::Kind::kBoth && moment.operation == i;
    });
    if (joined) return view_.whole(i);
    const std::string label = view_.label(i);
    const std::string ending = view_.ending(i);
    return width_of(label) < width_of(ending) ? ending : label;
  }

  [[nodiscard]] bool is_impossible(OperationId i) const {
    return view_.explanation() && view_.explanation()->impossible == i;
  }

  void heading() {
    if (rails_) return;
    std::string line(kMargin, ' ');
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      const auto first =
          std::ranges::find(timeline_.operations, c, [&](OperationId i) { return column_of(i); });
      line += fitted("process " + view_.process_name(*first), widths_[c]) + std::string(kGap, ' ');
    }
    out_ += painted(Paint::kBold, trimmed(line), style_.color) + "\n";
  }

  void row(const Moment& moment) {
    const OperationId i = moment.operation;
    switch (moment.kind) {
      case Moment::Kind::kGap:
        gap(moment);
        return;
      case Moment::Kind::kCall:
        line(i, "┌", view_.label(i));
        busy_[column_of(i)] = i;
        return;
      case Moment::Kind::kReturn:
        busy_[column_of(i)] = kIdle;
        line(i, "└", view_.ending(i));
        return;
      case Moment::Kind::kBoth:
        line(i, "╶", view_.whole(i));
        return;
    }
  }

  void end_pending(OperationId i) {
    busy_[column_of(i)] = kIdle;
    line(i, "┆", "never returned");
  }

  void gap(const Moment& moment) {
    const std::string text = fmt::format("… {} not shown", count_of(moment.left_out, "operation"));
    if (rails_) {
      out_ += std::string(kMargin, ' ') + rail_marks(widths_.size(), "") +
              painted(Paint::kDim, text, style_.color);
    } else {
      out_ += painted(Paint::kDim, fmt::format("{}{}", std::string(kMargin, ' '), text), style_.color);
    }
    out_ += "\n";
  }

  // What the rails show in this line: `mark` in one of them.
  [[nodiscard]] std::string rail_marks(std::size_t marked, std::string_view mark) const {
    std::string out;
    for (std::size_t c = 0; c < busy_.size(); ++c) {
      out += c == marked ? std::string(mark) : busy_[c] == kIdle ? " " : "│";
      out += " ";
    }
    return out;
  }

  // An end of an operation: `mark` in its column, and what happens there.
  void line(OperationId i, std::string_view mark, const std::string& text) {
    const bool judged = is_impossible(i) && mark != "┌";
    out_ += judged ? paint(i, "✗ ") : std::string(kMargin, ' ');
    out_ += trimmed(rails_ ? beside_rails(i, mark, text) : in_columns(i, mark, text)) + "\n";
  }

  // Far from its call, a return says whose it is.
  std::string beside_rails(OperationId i, std::string_view mark, const std::string& text) {
    const std::size_t used = kMargin + 2 * busy_.size();
    const std::size_t room = std::max(style_.width - std::min(style_.width, used), kNarrowestText);
    const std::string what = mark != "└"    ? text
                             : text.empty() ? view_.label(i) + " returned"
                                            : view_.label(i) + " " + text;
    const std::string shown = fmt::format("process {}: {}", view_.process_name(i), what);
    return rail_marks(column_of(i), mark) + paint(i, cut_to_width(shown, room));
  }

  std::string in_columns(OperationId i, std::string_view mark, const std::string& text) {
    std::string line;
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      if (c == column_of(i)) {
        line += paint(i, fitted(fmt::format("{} {}", mark, text), widths_[c]));
      } else if (busy_[c] == kIdle) {
        line += std::string(widths_[c], ' ');
      } else {
        const Paint color = is_impossible(busy_[c]) ? Paint::kBad : Paint::kDim;
        line += painted(color, "│", style_.color) + std::string(widths_[c] - 1, ' ');
      }
      line += std::string(kGap, ' ');
    }
    return line;
  }

  [[nodiscard]] std::string paint(OperationId i, std::string_view text) const {
    return painted(Paint::kBad, text, style_.color && is_impossible(i));
  }

  static std::string trimmed(std::string line) {
    while (line.ends_with(' ')) line.pop_back();
    return line;
  }

  const HistoryView& view_;
  const Timeline& timeline_;
  const ReportStyle& style_;
  std::vector<std::size_t> widths_;  // by column
  std::vector<OperationId> busy_;    // by column: the operation that is going on
  bool rails_ = false;
  std::string out_;
};

}  // namespace

std::string timeline_text(const HistoryView& view, const Timeline& timeline, const ReportStyle& style) {
  return TimelineText(view, timeline, style).write();
}

}  // namespace plumb
