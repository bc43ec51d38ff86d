// Documents for a terminal. Of a history: the verdict, the sentence, the core as a timeline, the states on the way to it.
#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "history/printable.hpp"
#include "report/paint.hpp"
#include "report/renderers.hpp"
#include "report/timeline.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostOperations = 40;  // in the timeline of a core
constexpr std::size_t kFewOperations = 12;   // of a history without a violation
constexpr std::size_t kMostSteps = 20;       // of an order
constexpr std::size_t kFirstSteps = 4;       // of them, when the end matters, from the beginning

constexpr std::size_t kNumber = 7;  // columns before a step

class HistoryText {
 public:
  HistoryText(const HistoryView& view, const ReportStyle& style) : view_(view), style_(style) {}

  std::string write() {
    head();
    paragraph(view_.sentence());
    if (view_.explanation()) {
      violation(*view_.explanation());
    } else if (view_.verdict().outcome == Outcome::kHolds && !view_.history().empty()) {
      linearizable();
    }
    return std::move(out_);
  }

 private:
  void head() {
    const Outcome outcome = view_.verdict().outcome;
    const Paint paint = outcome == Outcome::kViolation ? Paint::kBad
                        : outcome == Outcome::kHolds   ? Paint::kGood
                                                       : Paint::kDoubt;
    const std::string_view mark = outcome == Outcome::kViolation ? "✗"
                                  : outcome == Outcome::kHolds   ? "✓"
                                                                 : "?";
    out_ += fmt::format("{}  {}\n",
                        painted(paint, fmt::format("{} {}", mark, to_string(view_.verdict())), style_.color),
                        painted(Paint::kBold, view_.title(), style_.color));
    out_ += painted(Paint::kDim, "  " + view_.facts(), style_.color) + "\n\n";
  }

  // Broken at spaces; a word that is too long stands alone.
  void paragraph(const std::string& text) {
    constexpr std::string_view kIndent = "  ";
    std::string line;
    const auto flush = [&] {
      if (!line.empty()) out_ += fmt::format("{}{}\n", kIndent, line);
      line.clear();
    };
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(' ', at), text.size());
      const std::string_view word = std::string_view(text).substr(at, end - at);
      if (kIndent.size() + width_of(line) + 1 + width_of(word) > style_.width) flush();
      if (!line.empty()) line += ' ';
      line += word;
      at = end + 1;
    }
    flush();
  }

  void title(std::string_view text) {
    out_ += fmt::format("\n{}\n", painted(Paint::kBold, text, style_.color));
  }

  void violation(const Explanation& explanation) {
    constexpr std::size_t kDozen = 12;
    const std::size_t rest = view_.history().size() - explanation.core.size();
    const std::string core = count_of(explanation.core.size(), "operation");
    const std::string_view proves =
        explanation.core.size() == 1 ? "proves it by itself" : "prove it by themselves";
    title(rest == 0 ? fmt::format("{} {}: all there is", core, proves)
                    : fmt::format("{} of {} {}", core, view_.history().size(), proves));
    if (!view_.verdict().violation->relax.empty())
      paragraph("With operations that may move, only what comes later, and out of reach, can be left out.");
    else if (!explanation.minimal)
      paragraph("A smaller proof may exist: the search for one ended with its budget.");
    else if (explanation.core.size() > kDozen)
      paragraph("None of them can be left out: without it, a state that was possible no longer is.");
    out_ += "\n" +
            timeline_text(view_, make_timeline(view_, {.most = kMostOperations, .join_ends = true}), style_);
    title(fmt::format("How far an order gets, and the {} after each step", view_.state_name()));
    std::vector<OperationId> operations;
    std::vector<OperationId> legal;
    std::vector<std::string> states;
    for (const ExplainedStep& step : explanation.prefix) {
      operations.push_back(step.operation);
      if (step.legal) legal.push_back(*step.legal);
      states.push_back(step.state);
    }
    out_ += "\n";
    steps({operations, legal, states}, explanation.impossible);
    impossible(explanation);
  }

  void impossible(const Explanation& explanation) {
    const OperationId i = explanation.impossible;
    const std::string name = cut_in_the_middle(step_name(i), style_.width - std::min(style_.width, kNumber));
    out_ += painted(Paint::kBad, fmt::format("{:>5}  {}", "✗", name), style_.color) + "\n";
    if (!explanation.allowed.empty() || explanation.allowed_complete) fact("allowed:", view_.allowed());
    if (const Value object = view_.history().object(i); !object.is_null())
      fact("object:", {printable(view_.history().values().to_json(object))});
    if (const std::uint32_t at = view_.history().place(i).line; at != 0) {
      fact("recorded at:", {fmt::format("{}:{}", printable(view_.source().file), at)});
    }
  }

  // A name and what belongs to it: in one line where that fits, else one line each, cut.
  void fact(std::string_view label, const std::vector<std::string>& items) {
    const std::size_t room = style_.width - std::min(style_.width, kNumber + width_of(label) + 1);
    const std::string line = joined(items, " or ");
    std::string text = line;
    if (width_of(line) > room && items.size() > 1) {
      text.clear();
      for (const std::string& item : items) {
        if (!text.empty()) text += fmt::format("\n{:{}}", "", kNumber + width_of(label) + 1);
        text += cut_in_the_middle(item, room);
      }
    }
    out_ += fmt::format("{:{}}{} {}\n", "", kNumber, painted(Paint::kDim, label, style_.color), text);
  }

  void linearizable() {
    const ReportOrder& order = view_.order();
    out_ += "\n" +
            timeline_text(view_, make_timeline(view_, {.most = kFewOperations, .join_ends = true}), style_);
    title(fmt::format("The {}order, and the {} after each step",
                      order.operations.size() <= kMostSteps ? "" : "beginning of the ", view_.state_name()));
    out_ += "\n";
    steps({order.operations, order.legal, order.states}, std::nullopt);
  }

  [[nodiscard]] std::string step_name(OperationId i) const {
    return fmt::format("process {}: {}", view_.process_name(i), view_.whole(i));
  }

  // The steps of an order: who, who instead in the legal history (empty: the same), and the state after.
  struct Steps {
    std::span<const OperationId> operations;
    std::span<const OperationId> legal;
    std::span<const std::string> states;

    [[nodiscard]] std::string name(const HistoryText& report, std::size_t k) const {
      std::string name = report.step_name(operations[k]);
      if (k >= legal.size() || legal[k] == operations[k]) return name;
      return fmt::format("{}, legal: {}", name, report.view_.whole(legal[k]));
    }
  };

  // With an end that matters, the middle is left out; otherwise the end.
  void steps(const Steps& all, std::optional<OperationId> next) {
    const std::size_t size = all.operations.size();
    const bool fold = size > kMostSteps;
    const std::size_t first = !fold ? size : next ? kFirstSteps : kMostSteps;
    const std::size_t resume = !fold ? size : next ? size - (kMostSteps - kFirstSteps) : size;
    std::size_t widest = next ? width_of(step_name(*next)) : 0;
    for (std::size_t k = 0; k < size; ++k) {
      if (k < first || k >= resume) widest = std::max(widest, width_of(all.name(*this, k)));
    }
    const std::size_t column = std::min(widest, style_.width / 2);
    for (std::size_t k = 0; k < size; ++k) {
      if (k == first) {
        const std::string text = fmt::format("{:>5}  {} more", "…", count_of(resume - first, "step"));
        out_ += painted(Paint::kDim, text, style_.color) + "\n";
      }
      if (k >= first && k < resume) continue;
      step(k, all.name(*this, k), k < all.states.size() ? all.states[k] : "", column);
    }
  }

  // The operation may take half of the line, or more where the state needs less.
  void step(std::size_t k, const std::string& whole, const std::string& state, std::size_t column) {
    const std::size_t room = style_.width - std::min(style_.width, kNumber + 2);
    const std::string after = cut_in_the_middle(printable(state), room - std::min(room, column));
    const std::string name = cut_to_width(whole, room - std::min(room, width_of(after)));
    const std::size_t padding = column > width_of(name) ? column - width_of(name) : 0;
    out_ += fmt::format("{}  {}{}  {}\n", painted(Paint::kDim, fmt::format("{:>5}", k + 1), style_.color),
                        name, std::string(padding, ' '), painted(Paint::kDim, after, style_.color));
  }

  const HistoryView& view_;
  const ReportStyle& style_;
  std::string out_;
};

}  // namespace

// A scenario is shown with what was observed, which is its history.
std::string render_text(const Document& document, const ReportStyle& style) {
  const bool shown = document.history && document.scenario.empty();
  return document_text(document, shown ? HistoryText(*document.history, style).write() : "");
}

}  // namespace plumb
