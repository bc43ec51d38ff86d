#include "cli/report_keeper.hpp"

namespace plumb::cli {
namespace {

int weight(Outcome outcome) {
  switch (outcome) {
    case Outcome::kViolation:
      return 2;
    case Outcome::kUnknown:
      return 1;
    case Outcome::kLinearizable:
      break;
  }
  return 0;
}

}  // namespace

bool ReportKeeper::wants(Outcome outcome) const { return !outcome_ || weight(outcome) > weight(*outcome_); }

Status ReportKeeper::offer(const Judged& judged, const Model& model, const CheckOptions& options) {
  const Outcome outcome = judged.verdict->outcome;
  if (!wants(outcome)) return Done{};
  const ReportSource source = {std::string(judged.file), judged.index, judged.alone,
                               std::string(judged.model)};
  auto made = make_report(*judged.history, model, *judged.verdict, format_, source, style_, options);
  if (!made) return made.error();
  outcome_ = outcome;
  report_ = std::move(made).value();
  return Done{};
}

}  // namespace plumb::cli
