#include "cli/watch_output.hpp"

#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "history/printable.hpp"
#include "json/json_writer.hpp"

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

// A line that is not known is 0.
std::optional<std::uint64_t> known(std::uint64_t line) {
  return line == 0 ? std::nullopt : std::optional(line);
}

std::string alarm_json(const WatchShown& shown, const WatchViolation& alarm, std::uint32_t line) {
  JsonWriter json;
  json.object([&] {
    json.member("file", shown.file);
    json.member("verdict", "violation");
    json.member("model", shown.model);
    json.member("line", known(line));
    json.key("violation").object([&] {
      json.key("operations").array(alarm.operations, [&](const WatchedOperation& op) {
        json.value(op.number);
      });
      json.member("reason", alarm.reason);
      json.key("lines").array(alarm.operations, [&](const WatchedOperation& op) {
        json.array(std::array{std::optional<std::uint64_t>(op.called_line), known(op.returned_line)});
      });
      if (!alarm.object.empty()) json.member("object", JsonWriter::Raw{alarm.object});
    });
  });
  return json.take() + "\n";
}

std::string summary_json(const WatchShown& shown, const WatchCounts& counts, std::string_view why) {
  JsonWriter json;
  json.object([&] {
    json.member("file", shown.file);
    json.member("verdict", verdict(counts, why));
    json.member("model", shown.model);
    json.member("why", why);
    json.member("operations", counts.operations);
    json.member("pending", counts.open);
    json.member("events", counts.events);
    json.member("violations", counts.violations);
    json.member("skipped", counts.skipped);
  });
  return json.take() + "\n";
}

}  // namespace

std::string watch_alarm(const WatchShown& shown, const WatchViolation& alarm, std::uint32_t line,
                        const Console& console) {
  if (shown.json) return alarm_json(shown, alarm, line);
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
  if (shown.json) return summary_json(shown, counts, why);
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
