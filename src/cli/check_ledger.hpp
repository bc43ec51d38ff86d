// What a run of `plumb check` knows: what it is doing, and what has been found out, told and kept. Several
// threads ask; whoever owns it keeps them apart.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "check/reached_watch.hpp"
#include "cli/console.hpp"
#include "cli/judge.hpp"
#include "cli/options.hpp"
#include "cli/report_keeper.hpp"
#include "cli/tally.hpp"

namespace plumb::cli {

class CheckLedger {
 public:
  enum class Doing : std::uint8_t { kNothing, kReading, kChecking, kExplaining };

  // `keeper`: or null. `explains`: the report is all that is printed.
  CheckLedger(const Options& options, Console& console, ReportKeeper* keeper, bool explains)
      : options_(options), console_(console), keeper_(keeper), explains_(explains) {}

  [[nodiscard]] Doing doing() const { return doing_; }
  // Nothing is being checked, and nothing is said of what was: its history may be gone.
  void rest();
  // `model`: the name of the one that was given, or of any.
  void read(std::string path, std::string_view model);
  void begin(const CheckedHistory& checked, std::shared_ptr<ReachedWatch> watch);
  [[nodiscard]] bool wants_report(const CheckedHistory& checked);
  void take(OutputItem item);
  // Is told all that is taken from now on.
  void listen(std::function<void(const OutputItem&)> listener) { listener_ = std::move(listener); }

  // Some limit ended what is being done: tells what is known of it.
  void cut_off(std::string_view why);
  // The run ends before all is checked, for this reason.
  void end_early(std::string_view why, std::size_t files_done, std::size_t files);
  void interrupt(std::size_t files_done, std::size_t files);

  void write_certificates_kept();
  void write_junit();
  // The last lines for a person: of so many files, and without those that were passed over.
  void tell_summary(std::size_t files, std::size_t passed_over, std::string_view first_passed_over);
  [[nodiscard]] const Tally& tally() const { return tally_; }
  [[nodiscard]] const std::optional<CheckedHistory>& current() const { return current_; }

 private:
  void tell_unknown(std::string_view why);
  [[nodiscard]] std::string summary() const;
  [[nodiscard]] std::string as_output(const CheckedHistory& checked) const;

  const Options& options_;
  Console& console_;
  ReportKeeper* keeper_;
  bool explains_;
  std::function<void(const OutputItem&)> listener_;  // or empty
  Doing doing_ = Doing::kNothing;
  std::string path_;  // that is being read
  std::string model_;
  std::optional<CheckedHistory> current_;                   // the history that is being checked
  std::chrono::steady_clock::time_point begun_;             // that
  std::shared_ptr<ReachedWatch> watch_;                     // how far that is
  bool waits_for_report_ = false;                           // of it
  std::optional<Certificate> blank_;                        // of it, as long as it has no other
  std::optional<std::pair<Outcome, std::string>> instead_;  // of its explanation, as long as there is none
  Tally tally_;
  std::vector<Certificate> certificates_;
  std::vector<Document> documents_;  // of all verdicts and errors, for --junit
};

}  // namespace plumb::cli
