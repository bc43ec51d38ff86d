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

Result<std::string> ReportKeeper::make(const Judged& judged, const Model& model,
                                       const CheckOptions& options) const {
  const ReportSource source = {std::string(judged.file), judged.index, judged.alone,
                               std::string(judged.model)};
  return make_report(*judged.history, model, *judged.verdict, format_, source, style_, options);
}

void ReportKeeper::keep(Outcome outcome, std::string report) {
  outcome_ = outcome;
  report_ = std::move(report);
}

}  // namespace plumb::cli
