// One line a verdict; under a violation, the few lines that let a person see it.
#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/milliseconds.hpp"
#include "cli/verdict_output.hpp"
#include "history/printable.hpp"
#include "history/same_spelling.hpp"
#include "report/paint.hpp"

namespace plumb::cli {
namespace {

constexpr std::size_t kMostListed = 8;      // ids or values on a line
constexpr std::size_t kLongestValue = 400;  // bytes of one operation or state

template <class Items, class ToText>
std::string listed(const Items& items, std::string_view separator, bool complete, const ToText& to_text) {
  std::vector<std::string> words;
  for (const auto& item : items) {
    if (words.size() == kMostListed) break;
    words.push_back(to_text(item));
  }
  if (!complete || items.size() > kMostListed) words.emplace_back("…");
  return joined(words, separator);
}

class TextWriter {
 public:
  TextWriter(const CheckedHistory& checked, bool color, bool verbose)
      : checked_(checked),
        history_(*checked.history),
        verdict_(*checked.verdict),
        color_(color),
        verbose_(verbose) {}

  std::string write() {
    std::string out = head();
    for (const std::string& each : lines()) out += fmt::format("    {}\n", each);
    return out;
  }

  std::vector<std::string> lines() {
    if (verdict_.violation) violation(*verdict_.violation);
    if (verdict_.explained) explained(*verdict_.explained);
    if (verbose_) details();
    return std::move(lines_);
  }

 private:
  [[nodiscard]] std::string head() const {
    std::string mark;
    switch (verdict_.outcome) {
      case Outcome::kHolds:
        mark = paint(Paint::kGood, "✓ linearizable");
        break;
      case Outcome::kViolation:
        mark = paint(Paint::kBad, "✗ violation");
        break;
      case Outcome::kUnknown:
        mark = paint(Paint::kDoubt, "? unknown");
        break;
    }
    std::string out = fmt::format("{}  {}", mark, paint(Paint::kBold, printable(checked_.file)));
    if (!checked_.alone) out += fmt::format(", history {}", checked_.index);
    if (!history_.name().empty()) out += fmt::format(" ({})", printable(history_.name()));
    if (verdict_.outcome == Outcome::kUnknown) out += fmt::format(": {}", printable(verdict_.why));
    if (verdict_.violation && !verdict_.violation->relax.empty()) {
      out += fmt::format(" even with {}", printable(to_string(verdict_.violation->relax)));
    } else if (!verdict_.relax.empty()) {
      out += fmt::format(" with {}", printable(to_string(verdict_.relax)));
    }
    return out + paint(Paint::kDim, fmt::format("  [{}]", figures_text(checked_))) + "\n";
  }

  // Labels stand in a column.
  void line(std::string_view label, std::string_view text) {
    lines_.push_back(fmt::format("{} {}", paint(Paint::kDim, fmt::format("{:<12}", label)), text));
  }

  [[nodiscard]] std::string operation(OperationId id) const {
    const std::uint32_t at = history_.place(id).line;
    const std::string where =
        at == 0 ? fmt::format("operation {}", id) : fmt::format("{}:{}", checked_.file, at);
    return fmt::format("{}: {}", printable(where),
                       printable(shortened(history_.describe(id), kLongestValue)));
  }

  void violation(const Violation& violation) {
    const auto text = [](const std::string& value) { return printable(shortened(value, kLongestValue)); };
    line("linearized",
         fmt::format("{} of {}{}", violation.prefix.size(),
                     violation.of_core_only ? count_of(violation.operations.size(), "operation") +
                                                  " of the core, looked at alone"
                                            : count_of(history_.size(), "operation"),
                     verdict_.parts > 1 ? fmt::format(" (in one of {} parts)", verdict_.parts) : ""));
    if (const Value object = history_.object(violation.stuck); !object.is_null())
      line("object", text(history_.values().to_json(object)));
    line("stuck at", paint(Paint::kBold, operation(violation.stuck)));
    if (!violation.allowed.empty() || violation.allowed_complete) {
      line("allowed", violation.allowed.empty()
                          ? "nothing: the operation cannot happen there"
                          : listed(violation.allowed, " or ", violation.allowed_complete, text));
    }
    if (!violation.states.empty()) line("tried in", listed(violation.states, "  ", true, text));
    if (const std::string hint = same_spelling(history_, violation.stuck); !hint.empty())
      line("hint", text(hint));
    const bool one = violation.operations.size() == 1;
    line("core",
         fmt::format("{} {}{}", count_of(violation.operations.size(), "operation"),
                     one ? "by itself proves it" : "by themselves prove it (plumb explain looks for fewer)",
                     verbose_ ? ":" : ""));
    if (verbose_) {
      for (const OperationId id : violation.operations)
        lines_.push_back(fmt::format("{:13}{}", "", operation(id)));
    }
  }

  void explained(const Explained& explained) {
    line("explained", fmt::format("{} of {}", explained.returned, count_of(history_.size(), "operation")));
    line("not yet", operation(explained.next));
  }

  void details() {
    const auto id = [](OperationId operation) { return fmt::format("{}", operation); };
    if (verdict_.outcome != Outcome::kUnknown)
      line("engine", fmt::format("{}: {}", to_string(verdict_.engines), verdict_.why));
    line("searched", fmt::format("{}, {}", count_of(verdict_.parts, "part"),
                                 count_of(verdict_.configurations, "configuration")));
    const auto& order = verdict_.violation   ? verdict_.violation->prefix
                        : verdict_.explained ? verdict_.explained->order
                                             : verdict_.linearization;
    if (!order.empty()) line("order", listed(order, " ", true, id));
    if (!verdict_.relax.empty() && !verdict_.legal.empty())
      line("legal", listed(verdict_.legal, " ", true, id));
  }

  [[nodiscard]] std::string paint(Paint with, std::string_view text) const {
    return painted(with, text, color_);
  }

  const CheckedHistory& checked_;
  const History& history_;
  const Verdict& verdict_;
  bool color_;
  bool verbose_;
  std::vector<std::string> lines_;
};

}  // namespace

std::string verdict_text(const CheckedHistory& checked, bool color, bool verbose) {
  return TextWriter(checked, color, verbose).write();
}

std::vector<std::string> verdict_lines(const CheckedHistory& checked) {
  return TextWriter(checked, false, false).lines();
}

std::string figures_text(const CheckedHistory& checked) {
  const History& history = *checked.history;
  const Verdict& verdict = *checked.verdict;
  std::string text = fmt::format("{}, {}", printable(checked.model), count_of(history.size(), "operation"));
  if (history.pending() != 0) text += fmt::format(" ({} pending)", history.pending());
  text += fmt::format(", {}, {} {:.2f} ms", count_of(history.processes(), "process"),
                      to_string(verdict.engines), in_milliseconds(verdict.elapsed));
  if (verdict.depth) text += fmt::format(", depth {}", *verdict.depth);
  return text;
}

}  // namespace plumb::cli
