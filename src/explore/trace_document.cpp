#include "explore/trace_document.hpp"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "runtime/step.hpp"

namespace plumb::engine {
namespace {

// Files by their last name, or with the folder where two share that.
class FileNames {
 public:
  explicit FileNames(const std::vector<TraceStep>& trace) {
    for (const TraceStep& step : trace) {
      for (const SourcePlace& place : step.places) {
        const auto [known, added] = paths_.try_emplace(last(place.file, 1), place.file);
        if (!added && known->second != place.file) known->second.clear();
      }
    }
  }
  std::string operator()(const std::string& path) const {
    const std::string name = last(path, 1);
    return paths_.at(name).empty() ? last(path, 2) : name;
  }

 private:
  static std::string last(const std::string& path, int parts) {
    auto at = path.size();
    while (parts-- > 0 && at != std::string::npos && at > 0) at = path.rfind('/', at - 1);
    return at == std::string::npos || at == 0 ? path : path.substr(at + 1);
  }
  std::map<std::string, std::string> paths_;
};

bool fails(const TraceStep& step) {
  return !step.changed && step.what == runtime::kind_name(runtime::StepKind::kCompareExchange);
}

// ": 1 -> 2" where something was written, ": 1" where it was read.
std::string values_of(const TraceStep& step) {
  if (step.changed) return fmt::format(": {} -> {}", step.seen, step.left);
  return (fails(step) ? ": fails, it is " : ": ") + step.seen;
}

std::string what_of(const TraceStep& step) {
  std::string line = step.what;
  if (!step.object.empty()) line += " " + step.object;
  if (step.atomic) line += values_of(step);
  if (!step.order.empty()) line += fmt::format(" ({})", step.order);
  return line;
}

// "stack.hpp:12 Stack::pop < test.cpp:30 < :41": outwards, the file where it changes.
std::string places_text(const TraceStep& step, const FileNames& names) {
  std::string text;
  for (std::size_t i = 0; i < step.places.size(); ++i) {
    const SourcePlace& place = step.places[i];
    const bool same_file = i > 0 && place.file == step.places[i - 1].file;
    text += fmt::format("{}{}:{}", i == 0 ? "" : " < ", same_file ? "" : names(place.file), place.line);
    if (i == 0 && !place.function.empty()) text += " " + place.function;
  }
  return text;
}

std::vector<DocumentPlace> document_places(const std::vector<SourcePlace>& places) {
  std::vector<DocumentPlace> all;
  all.reserve(places.size());
  for (const SourcePlace& place : places)
    all.push_back({place.file, static_cast<unsigned>(place.line), place.function});
  return all;
}

}  // namespace

std::vector<DocumentStep> document_steps(const std::vector<TraceStep>& trace) {
  const FileNames names(trace);
  std::vector<DocumentStep> steps;
  steps.reserve(trace.size());
  std::map<std::size_t, std::size_t> place_of;  // steps by their number, as some have been left out
  for (const TraceStep& step : trace) place_of.emplace(step.number, place_of.size());
  const auto place = [&](std::size_t number) {
    const auto known = place_of.find(number);
    return number == 0 || known == place_of.end() ? std::nullopt : std::optional(known->second);
  };
  const auto places_in_trace = [&](const std::vector<std::size_t>& numbers) {
    std::vector<std::size_t> all;
    for (const std::size_t number : numbers) {
      if (const auto known = place(number)) all.push_back(*known);
    }
    return all;
  };
  for (const TraceStep& step : trace)
    steps.push_back({.thread = step.thread,
                     .what = what_of(step),
                     .kind = step.what + " " + step.object,
                     .place = places_text(step, names),
                     .action = step.what,
                     .object = step.object,
                     .order = step.order,
                     .seen = step.atomic ? step.seen : "",
                     .left = step.atomic && step.changed ? step.left : "",
                     .note = step.note,
                     .fails = step.atomic && fails(step),
                     .read_from = place(step.read_from),
                     .newer = place(step.newer),
                     .synchronises_with = places_in_trace(step.synchronises_with),
                     .places = document_places(step.places)});
  return steps;
}

std::vector<std::string> document_evidence(const std::vector<Evidence>& evidence) {
  std::vector<std::string> lines;
  for (const Evidence& item : evidence) {
    std::string line = item.what;
    for (const SourcePlace& place : item.places) {
      const bool first = &place == item.places.data();
      if (!first) lines.push_back(std::exchange(line, "  called at"));
      line += fmt::format("{} {}:{} {}", first ? ":" : "", place.file, place.line, place.function);
    }
    lines.push_back(line);
  }
  return lines;
}

std::vector<DocumentEvidence> document_accesses(const std::vector<Evidence>& evidence) {
  std::vector<DocumentEvidence> all;
  all.reserve(evidence.size());
  for (const Evidence& item : evidence) all.push_back({item.what, document_places(item.places)});
  return all;
}

}  // namespace plumb::engine
