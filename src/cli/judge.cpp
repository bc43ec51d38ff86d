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

// What is sent of a document: a verdict has no more.
void write_document(const std::optional<Document>& document, MessageWriter& to) {
  to.number(document.has_value());
  if (!document) return;
  to.text(document->name).text(document->verdict).text(document->kind).text(document->summary);
  to.text(document->history).number(std::bit_cast<std::uint64_t>(document->seconds));
}

std::optional<Document> read_document(MessageReader& from) {
  if (from.number() == 0) return std::nullopt;
  Document document;
  for (std::string* text :
       {&document.name, &document.verdict, &document.kind, &document.summary, &document.history})
    *text = from.text();
  document.seconds = std::bit_cast<double>(from.number());
  return document;
}

}  // namespace

std::string to_message(const std::vector<Finding>& findings) {
  MessageWriter to;
  for (const Finding& finding : findings) {
    to.number(static_cast<std::uint64_t>(finding.kind)).number(finding.first).number(finding.last);
    to.number(static_cast<std::uint64_t>(finding.outcome)).text(finding.text);
    to.text(finding.certificate ? format_certificate(*finding.certificate) : "");
    write_document(finding.document, to);
  }
  return to.take();
}

std::optional<std::vector<Finding>> findings_from(std::string_view message) {
  MessageReader from(message);
  std::vector<Finding> findings;
  while (!from.at_end()) {
    Finding finding;
    finding.kind = static_cast<Finding::Kind>(from.number());
    finding.first = from.number();
    finding.last = from.number();
    finding.outcome = static_cast<Outcome>(from.number());
    finding.text = from.text();
    const std::string_view certificate = from.text();
    if (finding.kind == Finding::Kind::kCertificate) {
      auto parsed = parse_certificates(certificate);
      if (!parsed || parsed->size() != 1) return std::nullopt;
      finding.certificate = std::move(parsed->front());
    }
    finding.document = read_document(from);
    findings.push_back(std::move(finding));
  }
  return from.ok() ? std::optional(std::move(findings)) : std::nullopt;
}

Result<HistoryFile> Judge::read(const std::string& path) const {
  auto histories = read_histories(path, options_.format);
  if (!histories) return histories.error();
  return HistoryFile{path, std::move(histories).value()};
}

Result<const Model*> Judge::model_of(const History& history) const { return choose_model(given_, history); }

Finding Judge::failed(Error error, std::string_view file) {
  if (error.file.empty()) error.file = file;
  return {.kind = Finding::Kind::kError,
          .text = error.text(),
          .document = Document{.name = error.file, .verdict = "error", .summary = error.text()}};
}

void Judge::judge(const HistoryFile& file, std::size_t first, std::size_t last, const Check& check,
                  const Sink& sink) const {
  for (std::size_t i = first; i < std::min(last, file.histories.size()) && !Interrupt::requested(); ++i) {
    const History& history = file.histories[i];
    const auto model = model_of(history);
    if (!model) {
      sink(failed(model.error(), file.path));
      continue;
    }
    const bool any = given_ == nullptr && history.model().empty();
    judge_one({file.path, i, file.histories.size() == 1, &history, any ? "any" : (*model)->name(), nullptr},
              **model, check, sink);
  }
}

void Judge::judge_one(Judged judged, const Model& model, const Check& check, const Sink& sink) const {
  std::optional<Clock::time_point> deadline;
  if (check_.timeout) deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(*check_.timeout);
  if (watchers_.begin) {
    deadline = watchers_.begin(judged);
    auto blank = options_.certificate.empty() ? Result<Certificate>(Error{})
                                              : certify(*judged.history, model, {}, check_);
    if (blank) sink({.kind = Finding::Kind::kBlank, .certificate = std::move(*blank)});
  }
  const auto verdict = check(*judged.history, model, until(deadline));
  if (!verdict) return sink(failed(verdict.error(), judged.file));
  if (!*verdict) return sink({.kind = Finding::Kind::kHard, .first = judged.index});
  judged.verdict = &**verdict;
  std::string text;
  if (!options_.quiet)
    text = options_.json ? verdict_json(judged) : verdict_text(judged, color_, options_.verbose);
  sink({.first = judged.index,
        .outcome = judged.verdict->outcome,
        .text = std::move(text),
        .document = options_.junit.empty() ? std::nullopt : std::optional(verdict_document(judged))});
  if (judged.history->empty()) {
    sink({.kind = Finding::Kind::kNote, .text = no_operations(judged.file, judged.index, judged.alone)});
  }
  const bool is_violation = judged.verdict->outcome == Outcome::kViolation;
  if (is_violation && !options_.quiet && has_only_pairs(*judged.history)) {
    sink({.kind = Finding::Kind::kNote,
          .text = fmt::format(
              "{}: every value is a pair; if these are [key value] of jepsen.independent, an object a "
              "key, say --format independent",
              judged.file)});
  }
  if (!options_.certificate.empty()) certify_one(judged, model, until(deadline), sink);
  if (!watchers_.wants_report || !watchers_.wants_report(judged)) return;
  auto report = watchers_.keeper->make(judged, model, until(deadline));
  sink(report ? Finding{.kind = Finding::Kind::kReport,
                        .outcome = judged.verdict->outcome,
                        .text = std::move(*report)}
              : failed(report.error(), judged.file));
}

CheckOptions Judge::until(std::optional<Clock::time_point> deadline) const {
  CheckOptions options = check_;
  if (deadline) {
    using Seconds = std::chrono::duration<double>;
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
void Judge::certify_one(const Judged& judged, const Model& model, const CheckOptions& options,
                        const Sink& sink) const {
  auto certificate = certify(*judged.history, model, *judged.verdict, options);
  if (!certificate) return sink(failed(certificate.error(), judged.file));
  if (judged.verdict->outcome == Outcome::kViolation) {
    const auto verification = verify(*judged.history, model, *certificate);
    if (verification && !verification->proved) {
      sink({.kind = Finding::Kind::kNote,
            .text = fmt::format("{}: the certificate will not be accepted by 'plumb verify': {}", judged.file,
                                verification->reason)});
    }
  }
  sink({.kind = Finding::Kind::kCertificate, .first = judged.index, .certificate = std::move(*certificate)});
}

}  // namespace plumb::cli
