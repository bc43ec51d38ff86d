#include "cli/check_ledger.hpp"

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/file_io.hpp"
#include "cli/verdict_output.hpp"
#include "history/printable.hpp"
#include "report/renderers.hpp"

namespace plumb::cli {
namespace {

using Clock = std::chrono::steady_clock;

}  // namespace

void CheckLedger::rest() {
  doing_ = Doing::kNothing;
  current_.reset();
  watch_.reset();
}

void CheckLedger::read(std::string path, std::string_view model) {
  rest();
  doing_ = Doing::kReading;
  path_ = std::move(path);
  model_ = model;
  begun_ = Clock::now();
}

void CheckLedger::begin(const CheckedHistory& checked, std::shared_ptr<ReachedWatch> watch) {
  doing_ = Doing::kChecking;
  current_ = checked;
  watch_ = std::move(watch);
  begun_ = Clock::now();
}

bool CheckLedger::wants_report(const CheckedHistory& checked) {
  if (keeper_ == nullptr || !keeper_->wants(checked.verdict->outcome)) return false;
  waits_for_report_ = true;
  if (explains_) instead_ = {checked.verdict->outcome, as_output(checked)};
  return true;
}

void CheckLedger::take(OutputItem item) {
  if (listener_) listener_(item);
  if (item.document && !options_.junit.empty()) documents_.push_back(std::move(*item.document));
  switch (item.kind) {
    case OutputItem::Kind::kVerdict:
      tally_.add(item.outcome);
      console_.out(item.text);
      doing_ = Doing::kExplaining;
      break;
    case OutputItem::Kind::kError:
      ++tally_.errors;
      console_.error(item.text);
      doing_ = Doing::kNothing;
      break;
    case OutputItem::Kind::kNote:
      console_.error(item.text);
      break;
    case OutputItem::Kind::kCutShort:
      tally_.cut_short = true;
      console_.error(item.text);
      break;
    case OutputItem::Kind::kBlank:
      blank_ = std::move(item.certificate);
      break;
    case OutputItem::Kind::kCertificate:
      certificates_.push_back(std::move(*item.certificate));
      blank_.reset();
      break;
    case OutputItem::Kind::kReport:
      if (keeper_ != nullptr && keeper_->wants(item.outcome))
        keeper_->keep(item.outcome, std::move(item.text));
      waits_for_report_ = false;
      instead_.reset();
      break;
    case OutputItem::Kind::kSplit:
    case OutputItem::Kind::kNeedsAll:
    case OutputItem::Kind::kNotDone:
      break;  // only among ranks
  }
}

// What was not made is left out whole: a certificate says 'unknown', instead of an explanation stands the
// verdict.
void CheckLedger::cut_off(std::string_view why) {
  const bool explained = doing_ == Doing::kExplaining;
  if (doing_ == Doing::kReading) tell_unknown(fmt::format("{} while it was read", why));
  if (doing_ == Doing::kChecking) tell_unknown(why);
  if (explained && (blank_ || waits_for_report_)) {
    take({.kind = OutputItem::Kind::kCutShort,
          .text = fmt::format("{}: {} before there was {}", current_->file, why,
                              blank_ && waits_for_report_ ? "a certificate and a report"
                              : blank_                    ? "a certificate"
                                                          : "a report")});
  }
  if (blank_) take({.kind = OutputItem::Kind::kCertificate, .certificate = std::move(blank_)});
  if (instead_) keeper_->keep(instead_->first, std::move(instead_->second));
  blank_.reset();
  instead_.reset();
  waits_for_report_ = false;
  rest();
}

void CheckLedger::tell_unknown(std::string_view why) {
  const History nothing;
  if (!current_) current_ = {path_, 0, true, &nothing, model_, nullptr};
  Verdict unknown;
  const Engine asked = options_.check.engine;
  unknown.engines = {asked == Engine::kAuto ? Engine::kWgl : asked};
  unknown.why = why;
  unknown.elapsed = Clock::now() - begun_;
  if (const auto position = watch_ ? watch_->position() : std::nullopt)
    unknown.explained = explained_before(*current_->history, *position);
  current_->verdict = &unknown;
  std::optional<Document> document;
  if (!options_.junit.empty()) document = document_of(*current_);
  take({.first = current_->index,
        .outcome = Outcome::kUnknown,
        .text = options_.quiet ? "" : as_output(*current_),
        .document = std::move(document)});
  if (explains_ && keeper_->wants(Outcome::kUnknown)) instead_ = {Outcome::kUnknown, as_output(*current_)};
  current_.reset();
}

std::string CheckLedger::as_output(const CheckedHistory& checked) const {
  return options_.json ? render_json(document_of(checked))
                       : verdict_text(checked, console_.has_color(), options_.verbose);
}

void CheckLedger::end_early(std::string_view why, std::size_t files_done, std::size_t files) {
  tally_.cut_short = true;
  console_.error(
      fmt::format("plumb: {}; {} of {} checked to the end", why, files_done, count_of(files, "file")));
}

void CheckLedger::interrupt(std::size_t files_done, std::size_t files) {
  if (doing_ == Doing::kChecking) tell_unknown("interrupted");
  rest();
  if (!std::exchange(tally_.interrupted, true)) end_early("interrupted", files_done, files);
}

void CheckLedger::write_certificates_kept() {
  const auto status = write_certificates(certificates_, options_.certificate);
  if (!status) take(Judge::failed(status.error(), {}));
}

void CheckLedger::write_junit() {
  if (options_.junit.empty()) return;
  const auto status = write_file(options_.junit, render_junit(junit_suite_of_now("plumb check"), documents_));
  if (!status) take(Judge::failed(status.error(), {}));
}

void CheckLedger::tell_summary(std::size_t files, std::size_t passed_over,
                               std::string_view first_passed_over) {
  if (options_.quiet || options_.json) return;
  if (options_.verbose && passed_over != 0) {
    console_.out(fmt::format("skipped {} whose names are not those of histories: {}\n",
                             count_of(passed_over, "file"), printable(first_passed_over)));
  }
  if (tally_.histories() > 1 || files > 1) console_.out(summary());
}

std::string CheckLedger::summary() const {
  std::string out =
      fmt::format("{}: {} linearizable, {}, {} unknown", count_of(tally_.histories(), "history"),
                  tally_.linearizable, count_of(tally_.violations, "violation"), tally_.unknown);
  if (tally_.errors != 0) out += fmt::format("; {}", count_of(tally_.errors, "error"));
  return out + "\n";
}

}  // namespace plumb::cli
