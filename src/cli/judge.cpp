#include "cli/judge.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include <fmt/format.h>

#include <plumb/explain.hpp>
#include <plumb/files.hpp>

#include "base/message.hpp"
#include "cli/choose_model.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "report/renderers.hpp"

namespace plumb::cli {
namespace {

// Every value that is written or read is a pair, as jepsen.independent has it: many registers, taken
// for one, break every rule.
bool has_only_pairs(const History& history) {
  const Values& values = history.values();
  const auto is_pair = [&](Value value) {
    return values.kind(value) == ValueKind::kArray && values.as_array(value).size() == 2;
  };
  bool read = false;
  bool written = false;
  for (OperationId i = 0; i < history.size(); ++i) {
    if (!history.object(i).is_null()) return false;
    for (const Value argument :
         history.function_name(i) == "write" ? history.args(i) : std::span<const Value>()) {
      if (!is_pair(argument)) return false;
      written = true;
    }
    if (history.function_name(i) != "read" || !history.has_result(i)) continue;
    if (!is_pair(history.result(i))) return false;
    read = true;
  }
  return read && written;
}

void write_lines(const std::vector<std::string>& lines, MessageWriter& to) {
  to.number(lines.size());
  for (const std::string& line : lines) to.text(line);
}

std::vector<std::string> read_lines(MessageReader& from) {
  std::vector<std::string> lines;
  for (std::uint64_t left = from.number(); left > 0 && from.ok(); --left) lines.emplace_back(from.text());
  return lines;
}

// What is sent of a document: a verdict has no more that --junit shows.
void write_document(const std::optional<Document>& document, MessageWriter& to) {
  to.number(document.has_value());
  if (!document) return;
  to.text(document->name).text(document->verdict).text(document->kind).text(document->summary);
  write_lines(document->evidence, to);
  write_lines(document->remarks, to);
  to.number(std::bit_cast<std::uint64_t>(document->seconds));
}

std::optional<Document> read_document(MessageReader& from) {
  if (from.number() == 0) return std::nullopt;
  Document document{.subject = DocumentSubject::kHistory};
  for (std::string* text : {&document.name, &document.verdict, &document.kind, &document.summary})
    *text = from.text();
  document.evidence = read_lines(from);
  document.remarks = read_lines(from);
  document.seconds = std::bit_cast<double>(from.number());
  return document;
}

}  // namespace

std::string to_message(const std::vector<OutputItem>& items) {
  MessageWriter to;
  for (const OutputItem& item : items) {
    to.number(static_cast<std::uint64_t>(item.kind)).number(item.first).number(item.last);
    to.number(static_cast<std::uint64_t>(item.outcome)).text(item.text);
    to.text(item.certificate ? format_certificate(*item.certificate) : "");
    write_document(item.document, to);
  }
  return to.take();
}

std::optional<std::vector<OutputItem>> items_from(std::string_view message) {
  MessageReader from(message);
  std::vector<OutputItem> items;
  while (!from.at_end()) {
    OutputItem item;
    item.kind = static_cast<OutputItem::Kind>(from.number());
    item.first = from.number();
    item.last = from.number();
    item.outcome = static_cast<Outcome>(from.number());
    item.text = from.text();
    const std::string_view certificate = from.text();
    if (item.kind == OutputItem::Kind::kCertificate) {
      auto parsed = parse_certificates(certificate);
      if (!parsed || parsed->size() != 1) return std::nullopt;
      item.certificate = std::move(parsed->front());
    }
    item.document = read_document(from);
    items.push_back(std::move(item));
  }
  return from.ok() ? std::optional(std::move(items)) : std::nullopt;
}

Result<HistoryFile> Judge::read(const std::string& path) const {
  auto histories = read_histories(path, options_.format);
  if (!histories) return histories.error();
  return HistoryFile{path, std::move(histories).value()};
}

Result<const Model*> Judge::model_of(const History& history) const { return choose_model(given_, history); }

OutputItem Judge::failed(Error error, std::string_view file) {
  if (error.file.empty()) error.file = file;
  return {.kind = OutputItem::Kind::kError,
          .text = error.text(),
          .document = Document{.subject = DocumentSubject::kHistory,
                               .name = error.file,
                               .verdict = "error",
                               .summary = error.text()}};
}

void Judge::judge(const HistoryFile& file, std::size_t first, std::size_t last, const Check& check,
                  const Sink& sink) const {
  for (std::size_t i = first; i < std::min(last, file.histories.size()) && !Interrupt::requested(); ++i) {
    const History& history = file.histories[i];
    const auto model = model_of(history);
    const Sink about_it = [&](OutputItem item) {
      item.first = i;
      sink(std::move(item));
    };
    if (!model) {
      about_it(failed(model.error(), file.path));
      continue;
    }
    const bool any = given_ == nullptr && history.model().empty();
    judge_one({file.path, i, file.histories.size() == 1, &history, any ? "any" : (*model)->name(), nullptr},
              **model, check, about_it);
  }
  if (watchers_.end) watchers_.end();
}

void Judge::judge_one(CheckedHistory checked, const Model& model, const Check& check,
                      const Sink& sink) const {
  std::optional<Clock::time_point> deadline;
  if (check_.timeout) deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(*check_.timeout);
  if (watchers_.begin) {
    deadline = watchers_.begin(checked);
    auto blank = options_.certificate.empty() ? Result<Certificate>(Error{})
                                              : certify(*checked.history, model, {}, check_);
    if (blank) sink({.kind = OutputItem::Kind::kBlank, .certificate = std::move(*blank)});
  }
  const auto verdict = check(*checked.history, model, until(deadline));
  if (!verdict) return sink(failed(verdict.error(), checked.file));
  if (!*verdict) return sink({.kind = OutputItem::Kind::kNeedsAll});
  checked.verdict = &**verdict;
  std::optional<Document> document;
  if (options_.json || !options_.junit.empty()) document = document_of(checked);
  std::string text;
  if (!options_.quiet)
    text = options_.json ? render_json(*document) : verdict_text(checked, color_, options_.verbose);
  if (options_.junit.empty()) document.reset();
  sink({.outcome = checked.verdict->outcome, .text = std::move(text), .document = std::move(document)});
  if (checked.history->empty()) {
    sink(
        {.kind = OutputItem::Kind::kNote, .text = no_operations(checked.file, checked.index, checked.alone)});
  }
  const bool is_violation = checked.verdict->outcome == Outcome::kViolation;
  if (is_violation && !options_.quiet && has_only_pairs(*checked.history)) {
    sink({.kind = OutputItem::Kind::kNote,
          .text = fmt::format(
              "{}: every value is a pair; if these are [key value] of jepsen.independent, one object per "
              "key, use --format independent",
              checked.file)});
  }
  if (is_violation && !options_.quiet && checked.history->clocks() > 1 && !check_.clock_error) {
    sink({.kind = OutputItem::Kind::kNote,
          .text = fmt::format("{}: the times are those of {} machines, whose clocks may differ; "
                              "--clock-error MS tells what is a violation all the same",
                              checked.file, checked.history->clocks())});
  }
  if (!options_.certificate.empty()) certify_one(checked, model, until(deadline), sink);
  if (!watchers_.wants_report || !watchers_.wants_report(checked)) return;
  auto report = watchers_.keeper->make(checked, model, until(deadline));
  sink(report ? OutputItem{.kind = OutputItem::Kind::kReport,
                           .outcome = checked.verdict->outcome,
                           .text = std::move(*report)}
              : failed(report.error(), checked.file));
}

CheckOptions Judge::until(std::optional<Clock::time_point> deadline) const {
  CheckOptions options = check_;
  if (deadline) {
    options.timeout = std::max<Seconds>(*deadline - Clock::now(), Seconds::zero());
  }
  return options;
}

Judge::Check plain_check() {
  return [](const History& history, const Model& model,
            const CheckOptions& options) -> Result<std::optional<Verdict>> {
    auto verdict = check(history, model, options);
    if (!verdict) return verdict.error();
    return std::optional(std::move(verdict).value());
  };
}

// A core too large for the verifier is told at once, not only to whom the certificate is given.
void Judge::certify_one(const CheckedHistory& checked, const Model& model, const CheckOptions& options,
                        const Sink& sink) const {
  auto certificate = certify(*checked.history, model, *checked.verdict, options);
  if (!certificate) return sink(failed(certificate.error(), checked.file));
  if (checked.verdict->outcome == Outcome::kViolation) {
    const auto verification = verify(*checked.history, model, *certificate);
    if (verification && !verification->proved) {
      sink({.kind = OutputItem::Kind::kNote,
            .text = fmt::format("{}: the certificate will not be accepted by 'plumb verify': {}",
                                checked.file, verification->reason)});
    }
  }
  sink({.kind = OutputItem::Kind::kCertificate, .certificate = std::move(*certificate)});
}

}  // namespace plumb::cli
