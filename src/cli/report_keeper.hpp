// The report of a run that checks many histories is that of one: the first violation; without one, the
// first verdict that is unknown; without that, the first history. It is made when the history is at
// hand, and written at the end.
#pragma once

#include <optional>
#include <string>

#include <plumb/report.hpp>

#include "cli/verdict_output.hpp"

namespace plumb::cli {

class ReportKeeper {
 public:
  ReportKeeper(ReportFormat format, ReportStyle style) : format_(format), style_(style) {}

  // Whether a history with this outcome would be the one to show, as far as is known.
  [[nodiscard]] bool wants(Outcome outcome) const;
  // Takes its time, and changes nothing here.
  [[nodiscard]] Result<std::string> make(const CheckedHistory& checked, const Model& model,
                                         const CheckOptions& options) const;
  // The one to show, as far as is known.
  void keep(Outcome outcome, std::string report);
  // Nothing if there was no history.
  [[nodiscard]] const std::optional<std::string>& report() const { return report_; }

 private:
  ReportFormat format_;
  ReportStyle style_;
  std::optional<Outcome> outcome_;
  std::optional<std::string> report_;
};

}  // namespace plumb::cli
