// One line a verdict; under a violation, the few lines that let a person see it.
#include <fmt/format.h>

#include "base/count_of.hpp"
#include "cli/verdict_output.hpp"
#include "history/printable.hpp"
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
  TextWriter(const Judged& judged, bool color, bool verbose)
      : judged_(judged),
        history_(*judged.history),
        verdict_(*judged.verdict),
        color_(color),
        verbose_(verbose) {}

  std::string write() {
    head();
    if (verdict_.violation) violation(*verdict_.violation);
    if (verdict_.explained) explained(*verdict_.explained);
    if (verbose_) details();
    return std::move(out_);
  }

 private:
  void head() {
    std::string mark;
    switch (verdict_.outcome) {
      case Outcome::kLinearizable:
        mark = paint(Paint::kGood, "✓ linearizable");
        break;
      case Outcome::kViolation:
        mark = paint(Paint::kBad, "✗ violation");
        break;
      case Outcome::kUnknown:
        mark = paint(Paint::kDoubt, "? unknown");
        break;
    }
    out_ += fmt::format("{}  {}", mark, paint(Paint::kBold, printable(judged_.file)));
    if (!judged_.alone) out_ += fmt::format(", history {}", judged_.index);
    if (!history_.name().empty()) out_ += fmt::format(" ({})", printable(history_.name()));
    if (verdict_.outcome == Outcome::kUnknown) out_ += fmt::format(": {}", printable(verdict_.why));
    if (verdict_.violation && !verdict_.violation->relax.empty()) {
      out_ += fmt::format(" even with {}", printable(to_string(verdict_.violation->relax)));
    } else if (!verdict_.relax.empty()) {
      out_ += fmt::format(" with {}", printable(to_string(verdict_.relax)));
    }
    std::string facts =
        fmt::format("{}, {}", printable(judged_.model), count_of(history_.size(), "operation"));
    if (history_.pending() != 0) facts += fmt::format(" ({} pending)", history_.pending());
    facts += fmt::format(", {}, {} {:.2f} ms", count_of(history_.processes(), "process"), verdict_.engine,
                         verdict_.elapsed_ms);
    if (verdict_.depth) facts += fmt::format(", depth {}", *verdict_.depth);
    out_ += paint(Paint::kDim, fmt::format("  [{}]", facts)) + "\n";
  }

  // Labels stand in a column.
  void line(std::string_view label, std::string_view text) {
    out_ += fmt::format("    {} {}\n", paint(Paint::kDim, fmt::format("{:<12}", label)), text);
  }

  [[nodiscard]] std::string operation(OperationId id) const {
    const std::uint32_t at = history_.place(id).line;
    const std::string where =
        at == 0 ? fmt::format("operation {}", id) : fmt::format("{}:{}", judged_.file, at);
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
    const bool one = violation.operations.size() == 1;
    line("core", fmt::format("{} {}{}", count_of(violation.operations.size(), "operation"),
                             one ? "by itself proves it" : "by themselves prove it", verbose_ ? ":" : ""));
    if (verbose_) {
      for (const OperationId id : violation.operations) out_ += fmt::format("{:17}{}\n", "", operation(id));
    }
  }

  void explained(const Explained& explained) {
    line("explained", fmt::format("{} of {}", explained.returned, count_of(history_.size(), "operation")));
    line("not yet", operation(explained.next));
  }

  void details() {
    const auto id = [](OperationId operation) { return fmt::format("{}", operation); };
    if (verdict_.outcome != Outcome::kUnknown)
      line("engine", fmt::format("{}: {}", verdict_.engine, verdict_.why));
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

  const Judged& judged_;
  const History& history_;
  const Verdict& verdict_;
  bool color_;
  bool verbose_;
  std::string out_;
};

}  // namespace

std::string verdict_text(const Judged& judged, bool color, bool verbose) {
  return TextWriter(judged, color, verbose).write();
}

}  // namespace plumb::cli
