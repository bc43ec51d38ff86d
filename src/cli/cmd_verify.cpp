// plumb verify: does a certificate prove its verdict for this very history? One line per history,
// in the order of the file.
#include <unistd.h>

#include <fmt/format.h>

#include <plumb/certificate.hpp>
#include <plumb/files.hpp>

#include "base/count_of.hpp"
#include "cli/choose_model.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "history/printable.hpp"
#include "json/json_writer.hpp"

namespace plumb::cli {
namespace {

class VerifyRun {
 public:
  VerifyRun(const Options& options, Console& console)
      : options_(options), console_(console), file_(options.arguments[0]), proof_(options.arguments[1]) {}

  ExitStatus run() {
    const auto given = given_model(options_, "verify");
    if (!given) return unreadable(given.error());
    const auto certificates = read_certificates(proof_);
    if (!certificates) return unreadable(certificates.error());
    const auto histories = read_histories(file_, options_.format);
    if (!histories) return unreadable(histories.error());
    if (certificates->size() != histories->size()) {
      report({}, 0,
             {false, fmt::format("{}, but {}", count_of(certificates->size(), "certificate"),
                                 count_of(histories->size(), "history"))});
      return ExitStatus::kViolation;
    }
    alone_ = histories->size() == 1;
    ExitStatus status = ExitStatus::kHolds;
    for (std::size_t i = 0; i < histories->size(); ++i) {
      const Certificate& certificate = (*certificates)[i];
      if ((*histories)[i].empty()) console_.error(no_operations(file_, i, alone_));
      const auto model = model_of(given->get(), (*histories)[i], certificate);
      if (!model) return unreadable(model.error());
      const auto verification = verify((*histories)[i], **model, certificate);
      if (!verification) return unreadable(verification.error());
      report(certificate, i, *verification);
      if (!verification->proved) status = ExitStatus::kViolation;
    }
    return status;
  }

 private:
  // A history that names no model has that of its certificate; one that has another cannot be told anything.
  [[nodiscard]] Result<const Model*> model_of(const Model* given, const History& history,
                                              const Certificate& certificate) const {
    const bool named = given != nullptr || !history.model().empty();
    auto model = named ? choose_model(given, history) : find_model(certificate.model);
    if (!model) return model.error();
    if ((*model)->name() == certificate.model) return model;
    return Error{fmt::format("a certificate for the model '{}'; the history is one of '{}'",
                             certificate.model, (*model)->name()),
                 {},
                 proof_};
  }

  ExitStatus unreadable(Error error) {
    if (error.file.empty()) error.file = file_;
    console_.error(error.text());
    return ExitStatus::kError;
  }

  void report(const Certificate& certificate, std::size_t index, const Verification& verification) {
    if (options_.quiet) return;
    if (options_.json) {
      console_.out(as_json(certificate, index, verification));
      return;
    }
    const std::string mark = verification.proved ? console_.paint(Paint::kGood, "✓ proved")
                                                 : console_.paint(Paint::kBad, "✗ not proved");
    std::string out = fmt::format("{}  {}", mark, console_.paint(Paint::kBold, printable(file_)));
    if (!alone_) out += fmt::format(", history {}", index);
    out += verification.proved ? fmt::format(" is {}", claim(certificate.outcome))
                               : fmt::format(": {}", printable(verification.reason));
    if (verification.proved && !certificate.relax.empty())
      out += fmt::format(" with {}", printable(to_string(certificate.relax)));
    out += console_.paint(Paint::kDim, fmt::format("  [{}, {}]", printable(certificate.model),
                                                   count_of(certificate.operations, "operation")));
    console_.out(out + "\n");
  }
  [[nodiscard]] std::string as_json(const Certificate& certificate, std::size_t index,
                                    const Verification& verification) const {
    JsonWriter json;
    json.object([&] {
      json.member("file", file_);
      json.member("history", index);
      json.member("certificate", proof_);
      json.member("proved", verification.proved);
      json.member("verdict", to_string(certificate.outcome, "linearizable"));
      json.member("model", certificate.model);
      if (!certificate.relax.empty()) json.member("relax", to_string(certificate.relax));
      if (!verification.proved) json.member("reason", verification.reason);
    });
    return json.take() + "\n";
  }

  static std::string_view claim(Outcome outcome) {
    return outcome == Outcome::kHolds ? "linearizable" : "not linearizable";
  }

  const Options& options_;
  Console& console_;
  std::string file_;
  std::string proof_;
  bool alone_ = true;
};

}  // namespace

ExitStatus run_verify(const Options& options, Console& console) {
  const Interrupt interrupt([] { _exit(number_of(ExitStatus::kUnknown)); });
  return VerifyRun(options, console).run();
}

}  // namespace plumb::cli
