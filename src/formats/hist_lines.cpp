// Reading hist, line by line. See codec_hist.cpp for the format.
#include "formats/hist_lines.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "formats/hist_words.hpp"
#include "history/number.hpp"

namespace plumb {
namespace {

using namespace hist;

std::optional<std::int64_t> process_label(std::string_view line) {
  const std::size_t close = line.find(']');
  if (!line.starts_with('[') || close == std::string_view::npos) return std::nullopt;
  return parse_integer(trim(line.substr(1, close - 1)));
}

}  // namespace

Status HistLines::line(const Lines& lines) {
  lines_ = &lines;
  const std::string_view text = trim(lines.text());
  if (text.empty()) return Ok{};
  auto status = text.front() == '#' ? comment(text) : event(text);
  if (status) line_before_ = text;
  return status;
}

Status HistLines::comment(std::string_view line) {
  const std::string_view text = trim(line.substr(1));
  if (text.starts_with(kName)) {
    header_.set_name(trim(text.substr(kName.size())));
    return sink_.begin(header_);
  }
  if (!text.starts_with(kObject)) return Ok{};
  if (started_) {
    if (auto status = finish_history(); !status) return status;
  }
  std::string_view model = trim(text.substr(kObject.size()));
  if (model.empty()) return missing(line, "the name of an object, such as atomic-queue");
  if (model.starts_with(kAtomic)) model.remove_prefix(kAtomic.size());
  header_.set_model(model);
  started_ = true;
  return sink_.begin(header_);
}

Status HistLines::event(std::string_view line) {
  started_ = true;
  const auto process = process_label(line);
  if (!process) {
    return Error{"expected a line such as \"[1] call add(1)\", with a whole number for the process",
                 lines_->place(line.data())};
  }
  const Place place = lines_->place(line.data());
  const std::string_view text = trim(line.substr(line.find(']') + 1));
  const std::size_t end = std::min(text.find_first_of(" \t"), text.size());
  const std::string_view verb = text.substr(0, end);
  const std::string_view rest = trim(text.substr(end));
  if (text.empty()) return missing(line, "\"call\" or \"return\"");
  if (verb == "return") return complete(value_of(*process), rest, place);
  if (verb == "call") {
    if (rest.empty()) return missing(line, "the function");
    if (line == line_before_) abandon(*process);
    return call(value_of(*process), rest, place);
  }
  return Error{fmt::format("expected \"call\" or \"return\", found '{}'", verb), lines_->place(verb.data())};
}

Value HistLines::value_of(std::int64_t process) {
  const auto renamed = renamed_.find(process);
  return sink_.values().integer(renamed == renamed_.end() ? process : renamed->second);
}

// The running operation of this process never returns; from here on its name stands for a new process.
void HistLines::abandon(std::int64_t process) {
  if (fresh_process_ == 0) {
    fresh_process_ =
        whole_.empty() ? std::numeric_limits<std::int32_t>::max() : 0;  // of a stream, no real one
    for (Lines all(whole_); all.next();) {
      const auto label = process_label(trim(all.text()));
      if (label && *label < std::numeric_limits<std::int32_t>::max())
        fresh_process_ = std::max(fresh_process_, *label);
    }
  }
  renamed_[process] = ++fresh_process_;
}

Status HistLines::call(Value process, std::string_view text, Place place) {
  const std::size_t end = std::min(text.find_first_of(" \t("), text.size());
  const std::string_view function = text.substr(0, end);
  std::string_view inside = trim(text.substr(end));
  if (function.empty())
    return Error{"expected the function's name after \"call\"", lines_->place(text.data())};
  if (inside.starts_with('(')) {
    if (!inside.ends_with(')')) return missing(text, "')'");
    inside = inside.substr(1, inside.size() - 2);
  }
  std::vector<Value> args;
  for (const std::string_view part : split_arguments(inside)) {
    if (part.empty()) return Error{"an empty argument; expected a value", lines_->place(part.data())};
    args.push_back(parse_value(part, sink_.values()));
  }
  removed_.erase(process);
  if (args.size() == 1 && is_removal(header_.model(), function)) {
    removed_.emplace(process, parse_result(trim(inside), sink_.values()));
    args.clear();
  }
  return sink_.call(process, function, args, kNull, place);
}

Status HistLines::complete(Value process, std::string_view text, Place place) {
  HistoryBuilder::Completed completed{parse_result(text, sink_.values()), true};
  const auto removed = removed_.find(process);
  if (removed != removed_.end()) {
    if (!text.empty() && completed.result != removed->second) {
      return Error{fmt::format("returns {}, but its call names {}; expected the same, or a bare return", text,
                               sink_.values().to_json(removed->second)),
                   lines_->place(text.data())};
    }
    completed.result = removed->second;
    removed_.erase(removed);
  } else if (const auto open = sink_.open_function(process); text.empty() && open) {
    completed = bare_return(header_.model(), *open);
  }
  return sink_.complete(process, completed, place);
}

Error HistLines::missing(std::string_view after, std::string_view what) const {
  return Error{fmt::format("the line ends where {} was expected", what),
               lines_->place(after.data() + after.size())};
}

Status HistLines::finish_history() {
  if (auto ended = sink_.end(); !ended) return ended;
  removed_.clear();
  renamed_.clear();
  header_ = {};
  started_ = false;
  return Ok{};
}

}  // namespace plumb
