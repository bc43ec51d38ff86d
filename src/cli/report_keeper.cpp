#include "cli/report_keeper.hpp"

namespace plumb::cli {
namespace {

int weight(Outcome outcome) {
  switch (outcome) {
    case Outcome::kViolation:
      return 2;
    case Outcome::kUnknown:
      return 1;
    case Outcome::kHolds:
      break;
  }
  return 0;
}

}  // namespace

bool ReportKeeper::wants(Outcome outcome) const { return !outcome_ || weight(outcome) > weight(*outcome_); }

Result<std::string> ReportKeeper::make(const CheckedHistory& checked, const Model& model,
                                       const CheckOptions& options) const {
  return make_report(*checked.history, model, *checked.verdict, format_, source_of(checked), style_, options);
}

void ReportKeeper::keep(Outcome outcome, std::string report) {
  outcome_ = outcome;
  report_ = std::move(report);
}

}  // namespace plumb::cli
