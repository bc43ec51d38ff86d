// A timeline for a terminal: time runs downwards. Where there is room, each process has a column with its operations in
// it; where there is not, a process is a rail, and what happens stands to the right of the rails.
#include <algorithm>

#include <fmt/format.h>

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
  TimelineText(const Document& document, const Timeline& timeline, const ReportStyle& style)
      : document_(document), timeline_(timeline), style_(style), busy_(timeline.lanes.size(), kIdle) {
    choose_widths();
  }

  std::string write() {
    heading();
    for (const Moment& moment : timeline_.moments) row(moment);
    if (!timeline_.pending.empty()) {
      for (const OperationId i : timeline_.pending) end_pending(i);
    }
    return std::move(out_);
  }

 private:
  static constexpr OperationId kIdle = Document::kNone;

  [[nodiscard]] std::size_t column_of(OperationId i) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(timeline_.lanes, document_.lane(i)) -
                                    timeline_.lanes.begin());
  }

  // A column is as wide as its longest text; if that is too much together, the widest give way.
  void choose_widths() {
    widths_.assign(timeline_.lanes.size(), 0);
    for (const OperationId i : timeline_.operations) {
      auto& width = widths_[column_of(i)];
      width =
          std::max({width, width_of("process " + document_.process_name(i)), 2 + width_of(longest_text(i))});
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
    if (joined) return document_.whole(i);
    const std::string label = document_.label(i);
    const std::string ending = document_.ending(i);
    return width_of(label) < width_of(ending) ? ending : label;
  }

  [[nodiscard]] bool is_impossible(OperationId i) const {
    return document_.explanation() && document_.explanation()->impossible == i;
  }

  void heading() {
    if (rails_) return;
    std::string line(kMargin, ' ');
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      const auto first =
          std::ranges::find(timeline_.operations, c, [&](OperationId i) { return column_of(i); });
      line += fitted("process " + document_.process_name(*first), widths_[c]) + std::string(kGap, ' ');
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
        line(i, "┌", document_.label(i));
        busy_[column_of(i)] = i;
        return;
      case Moment::Kind::kReturn:
        busy_[column_of(i)] = kIdle;
        line(i, "└", document_.ending(i));
        return;
      case Moment::Kind::kBoth:
        line(i, "╶", document_.whole(i));
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

  void line(OperationId i, std::string_view mark, const std::string& text) {
    const std::size_t column = column_of(i);
    const auto paint = [&](std::string piece) {
      return is_impossible(i) ? painted(Paint::kBad, piece, style_.color) : piece;
    };
    std::string line = is_impossible(i) && mark != "┌" ? paint("✗ ") : std::string(kMargin, ' ');
    if (rails_) {
      const std::size_t used = kMargin + 2 * busy_.size();
      const std::size_t room = std::max(style_.width - std::min(style_.width, used), kNarrowestText);
      const std::string whole = fmt::format("process {}: {}", document_.process_name(i),
                                            text.empty() ? document_.label(i) + " returned" : text);
      const std::string shown =
          mark == "└" && !text.empty()
              ? fmt::format("process {}: {} {}", document_.process_name(i), document_.label(i), text)
              : whole;
      out_ += line + rail_marks(column, mark) + paint(trimmed(fitted(shown, room))) + "\n";
      return;
    }
    for (std::size_t c = 0; c < widths_.size(); ++c) {
      if (c == column) {
        line += paint(fitted(fmt::format("{} {}", mark, text), widths_[c]));
      } else {
        const bool bad = busy_[c] != kIdle && is_impossible(busy_[c]);
        line += busy_[c] == kIdle ? std::string(widths_[c], ' ')
                                  : painted(bad ? Paint::kBad : Paint::kDim, "│", style_.color) +
                                        std::string(widths_[c] - 1, ' ');
      }
      line += std::string(kGap, ' ');
    }
    out_ += trimmed(line) + "\n";
  }

  static std::string trimmed(std::string line) {
    while (line.ends_with(' ')) line.pop_back();
    return line;
  }

  const Document& document_;
  const Timeline& timeline_;
  const ReportStyle& style_;
  std::vector<std::size_t> widths_;  // by column
  std::vector<OperationId> busy_;    // by column: the operation that is going on
  bool rails_ = false;
  std::string out_;
};

}  // namespace

std::string timeline_text(const Document& document, const Timeline& timeline, const ReportStyle& style) {
  return TimelineText(document, timeline, style).write();
}

}  // namespace plumb
