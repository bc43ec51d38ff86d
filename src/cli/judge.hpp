// Checking the histories of a file, and what is found out as pieces to print, in the order in which a person
// is to read them. Here or in another process: an item can be sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/certificate.hpp>
#include <plumb/check.hpp>
#include <plumb/history.hpp>
#include <plumb/result.hpp>

#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/report_keeper.hpp"
#include "cli/verdict_output.hpp"

namespace plumb::cli {

struct OutputItem {
  enum class Kind : std::uint8_t {
    kVerdict,      // of one history
    kError,        // a history that has none
    kNote,         // for a person, about the verdict before
    kCertificate,  // of the verdict before
    kReport,       // of the verdict before
    kCutShort,     // a limit left out something that was asked for, besides the verdict before
    kBlank,        // a certificate that says 'unknown', for a history whose time ends before it has another
    kSplit,        // nothing yet: the histories from `first` on, up to `last`, are left for others
    kNeedsAll,     // nothing yet: the history `first` is worth the work of many
    kNotDone       // an error that is no property of the history: it was not checked
  };
  Kind kind = Kind::kVerdict;
  std::size_t first = 0;  // the history it is about
  std::size_t last = 0;
  Outcome outcome = Outcome::kUnknown;
  std::string text = {};  // as it is printed
  std::optional<Certificate> certificate = std::nullopt;
  std::optional<Document> document = std::nullopt;  // of a verdict or an error, for --junit
};

[[nodiscard]] std::string to_message(const std::vector<OutputItem>& items);
[[nodiscard]] std::optional<std::vector<OutputItem>> items_from(std::string_view message);

struct HistoryFile {
  std::string path;
  std::vector<History> histories;
};

class Judge {
 public:
  using Sink = std::function<void(OutputItem)>;
  // No verdict: it is left as kNeedsAll.
  using Check = std::function<Result<std::optional<Verdict>>(const History& history, const Model& model,
                                                             const CheckOptions& options)>;
  using Clock = std::chrono::steady_clock;

  // None of them need be there.
  struct Watchers {
    // Told before each check; says when the history's time ends, which is for all that is done about it.
    std::function<std::optional<Clock::time_point>(const CheckedHistory& checked)> begin = {};
    std::function<void()> end = {};  // told after the last one of a file: its histories are gone soon
    std::function<bool(const CheckedHistory& checked)> wants_report = {};  // of a history with this verdict
    const ReportKeeper* keeper = nullptr;                                  // who makes it
  };

  // `given`: the model of --model or --spec, or null.
  Judge(const Options& options, const CheckOptions& check, const Model* given, bool color, Watchers watchers)
      : options_(options), check_(check), given_(given), color_(color), watchers_(std::move(watchers)) {}

  [[nodiscard]] Result<HistoryFile> read(const std::string& path) const;
  // The histories from `first` on, up to `last`, until somebody interrupts.
  void judge(const HistoryFile& file, std::size_t first, std::size_t last, const Check& check,
             const Sink& sink) const;
  [[nodiscard]] Result<const Model*> model_of(const History& history) const;
  [[nodiscard]] static OutputItem failed(Error error, std::string_view file);

 private:
  void judge_one(CheckedHistory checked, const Model& model, const Check& check, const Sink& sink) const;
  void certify_one(const CheckedHistory& checked, const Model& model, const CheckOptions& options,
                   const Sink& sink) const;
  // The options with what is left of the time.
  [[nodiscard]] CheckOptions until(std::optional<Clock::time_point> deadline) const;

  const Options& options_;
  const CheckOptions& check_;
  const Model* given_;
  bool color_;
  Watchers watchers_;
};

// By this process alone, to the end.
[[nodiscard]] Judge::Check plain_check();

}  // namespace plumb::cli
