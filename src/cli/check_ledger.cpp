#include "cli/check_ledger.hpp"

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/file_io.hpp"
#include "cli/verdict_output.hpp"
#include "history/printable.hpp"
#include "report/junit.hpp"

namespace plumb::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::string_view engine_name(Engine engine) {
  switch (engine) {
    case Engine::kBrute:
      return "brute";
    case Engine::kMonitor:
      return "monitor";
    case Engine::kHitting:
      return "hitting";
    case Engine::kAuto:
    case Engine::kWgl:
      break;
  }
  return "wgl";
}

}  // namespace

void CheckLedger::read(std::string path, std::string_view model) {
  doing_ = Doing::kReading;
  path_ = std::move(path);
  model_ = model;
  current_.reset();
  watch_.reset();
  begun_ = Clock::now();
}

void CheckLedger::begin(const Judged& judged, std::shared_ptr<ReachedWatch> watch) {
  doing_ = Doing::kChecking;
  current_ = judged;
  watch_ = std::move(watch);
  begun_ = Clock::now();
}

bool CheckLedger::wants_report(const Judged& judged) {
  if (keeper_ == nullptr || !keeper_->wants(judged.verdict->outcome)) return false;
  waits_for_report_ = true;
  if (explains_) instead_ = {judged.verdict->outcome, as_output(judged)};
  return true;
}

void CheckLedger::take(Finding finding) {
  if (finding.document && !options_.junit.empty()) documents_.push_back(std::move(*finding.document));
  switch (finding.kind) {
    case Finding::Kind::kVerdict:
      tally_.add(finding.outcome);
      console_.out(finding.text);
      doing_ = Doing::kExplaining;
      break;
    case Finding::Kind::kError:
      ++tally_.errors;
      console_.error(finding.text);
      doing_ = Doing::kNothing;
      break;
    case Finding::Kind::kNote:
      console_.error(finding.text);
      break;
    case Finding::Kind::kBlank:
      blank_ = std::move(finding.certificate);
      break;
    case Finding::Kind::kCertificate:
      certificates_.push_back(std::move(*finding.certificate));
      blank_.reset();
      break;
    case Finding::Kind::kReport:
      keeper_->keep(finding.outcome, std::move(finding.text));
      waits_for_report_ = false;
      instead_.reset();
      break;
    case Finding::Kind::kLeft:
    case Finding::Kind::kHard:
      break;  // only among ranks
  }
}

// What was not made is left out whole: a certificate says 'unknown', instead of an explanation stands the
// verdict.
void CheckLedger::cut_off(std::string_view why) {
  if (doing_ == Doing::kReading) tell_unknown(fmt::format("{} while it was read", why));
  if (doing_ == Doing::kChecking) tell_unknown(why);
  if (doing_ == Doing::kExplaining && (blank_ || waits_for_report_)) {
    console_.error(fmt::format("{}: {} before there was {}", current_->file, why,
                               blank_ && waits_for_report_ ? "a certificate and a report"
                               : blank_                    ? "a certificate"
                                                           : "a report"));
    tally_.cut_short = true;
  }
  if (blank_) certificates_.push_back(std::move(*blank_));
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
  unknown.engine = engine_name(options_.check.engine);
  unknown.why = why;
  unknown.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - begun_).count();
  if (const auto position = watch_ ? watch_->position() : std::nullopt)
    unknown.explained = explained_before(*current_->history, *position);
  current_->verdict = &unknown;
  tally_.add(Outcome::kUnknown);
  if (!options_.junit.empty()) documents_.push_back(verdict_document(*current_));
  if (!options_.quiet) console_.out(as_output(*current_));
  if (explains_ && keeper_->wants(Outcome::kUnknown)) instead_ = {Outcome::kUnknown, as_output(*current_)};
  current_.reset();
}

std::string CheckLedger::as_output(const Judged& judged) const {
  return options_.json ? verdict_json(judged) : verdict_text(judged, console_.has_color(), options_.verbose);
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
  const auto status = write_file(options_.junit, render_junit("plumb check", documents_));
  if (!status) take(Judge::failed(status.error(), {}));
}

}  // namespace plumb::cli
