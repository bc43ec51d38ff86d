#include "cli/watch_output.hpp"

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

std::string lines_of(const WatchedOperation& op) {
  if (op.called_line == 0) return "";
  if (op.returned_line == 0) return fmt::format(" (line {})", op.called_line);
  return fmt::format(" (lines {} and {})", op.called_line, op.returned_line);
}

std::string_view verdict(const WatchCounts& counts, std::string_view why) {
  if (counts.violations != 0) return "violation";
  return why.empty() && counts.skipped == 0 ? "linearizable" : "unknown";
}

}  // namespace

std::string watch_alarm(const WatchShown& shown, const Alarm& alarm, std::uint32_t line,
                        const Console& console) {
  if (shown.json) {
    std::string numbers;
    std::string lines;
    for (const WatchedOperation& op : alarm.operations) {
      numbers += fmt::format("{}{}", numbers.empty() ? "" : ",", op.number);
      const std::string returned = op.returned_line == 0 ? "null" : fmt::to_string(op.returned_line);
      lines += fmt::format("{}[{},{}]", lines.empty() ? "" : ",", op.called_line, returned);
    }
    return without_raw_controls(fmt::format(
               R"({{"file":{},"verdict":"violation","model":{},"line":{},"violation":{{"operations":[{}],"reason":{},"lines":[{}]{}}}}})",
               json_string(shown.file), json_string(shown.model), line == 0 ? "null" : fmt::to_string(line),
               numbers, json_string(alarm.reason), lines,
               alarm.object.empty() ? "" : ",\"object\":" + alarm.object)) +
           "\n";
  }
  std::string where = line == 0 ? "" : fmt::format("{}:{}: ", printable(shown.file), line);
  std::string out =
      fmt::format("{}{}: {}\n", where, console.paint(Paint::kBad, "violation"), printable(alarm.reason));
  if (!alarm.object.empty()) out += fmt::format("  object: {}\n", printable(alarm.object));
  std::string operations;
  for (const WatchedOperation& op : alarm.operations)
    operations += fmt::format("{}{}{}", operations.empty() ? "" : ", ", op.number, lines_of(op));
  if (!operations.empty()) out += fmt::format("  operations concerned: {}\n", operations);
  return out;
}

std::string watch_summary(const WatchShown& shown, const WatchCounts& counts, std::string_view why,
                          const Console& console) {
  const std::string_view said = verdict(counts, why);
  if (shown.json) {
    return without_raw_controls(fmt::format(
               R"({{"file":{},"verdict":"{}","model":{},"why":{},"operations":{},"pending":{},"events":{},"violations":{},"skipped":{}}})",
               json_string(shown.file), said, json_string(shown.model), json_string(why), counts.operations,
               counts.open, counts.events, counts.violations, counts.skipped)) +
           "\n";
  }
  const Paint paint = said == "linearizable" ? Paint::kGood
                      : said == "violation"  ? Paint::kBad
                                             : Paint::kDoubt;
  std::string out = fmt::format("{}: {}, {}, {} open; {}", console.paint(paint, said),
                                count_of(counts.operations, "operation"), count_of(counts.events, "event"),
                                counts.open, count_of(counts.violations, "violation"));
  if (counts.skipped != 0) out += fmt::format("; {} skipped", count_of(counts.skipped, "line"));
  if (!why.empty()) out += fmt::format("; {}", printable(why));
  return out + "\n";
}

}  // namespace plumb::cli
