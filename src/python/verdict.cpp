#include "python/verdict.hpp"

#include <fmt/format.h>

#include <plumb/certificate.hpp>
#include <plumb/explain.hpp>
#include <plumb/report.hpp>

#include "base/suggest.hpp"
#include "python/errors.hpp"
#include "python/interruptible.hpp"
#include "python/python_model.hpp"

namespace plumb::python {

namespace {

// The work of the library that a call stands for, with the budgets of the check; Ctrl-C ends it.
template <class Function>
auto answered(const CheckOptions& options, const HeldHistory& history, const HeldModel& model,
              const Function& function) {
  std::optional<decltype(function(options))> result;
  const Work work = [&](const std::atomic<bool>& stop) {
    CheckOptions stoppable = options;
    stoppable.stop = &stop;
    if (model.callbacks) stoppable.jobs = 1;  // Python runs one thread at a time
    result.emplace(function(stoppable));
  };
  if (model.callbacks) {
    model.callbacks->run(work);
  } else {
    run_interruptibly(work);
  }
  if (*result) return std::move(**result);
  Error error = result->error();
  if (error.file.empty()) error.file = history.file;
  raise(error);
}

ReportSource source_of(const HeldVerdict& held) {
  return {held.history.file, held.history.index, held.history.alone, model_name(held)};
}

}  // namespace

Engine engine_by_name(const std::string& name) {
  std::vector<std::string> names;
  for (const Engine engine :
       {Engine::kAuto, Engine::kMonitor, Engine::kFrontier, Engine::kWgl, Engine::kHitting, Engine::kBrute}) {
    if (to_string(engine) == name) return engine;
    names.emplace_back(to_string(engine));
  }
  raise({fmt::format("there is no engine '{}'; expected one of {}{}", name, fmt::join(names, ", "),
                     did_you_mean(name, names))});
}

HeldVerdict check_history(const HeldHistory& history, const HeldModel& model, const CheckOptions& options) {
  Verdict verdict = answered(options, history, model, [&](const CheckOptions& stoppable) {
    return check(*history.history, *model.model, stoppable);
  });
  return {history, model, options, std::move(verdict)};
}

std::string model_name(const HeldVerdict& held) {
  return held.model.is_any ? "any" : std::string(held.model.model->name());
}

std::string report_of(const HeldVerdict& held, const std::string& ending, std::size_t width, bool color) {
  const ReportFormat format = taken(report_format(ending));
  return answered(held.options, held.history, held.model, [&](const CheckOptions& stoppable) {
    return make_report(*held.history.history, *held.model.model, held.verdict, format, source_of(held),
                       {width, color}, stoppable);
  });
}

std::string certificate_of(const HeldVerdict& held) {
  return answered(
      held.options, held.history, held.model, [&](const CheckOptions& stoppable) -> Result<std::string> {
        const auto certificate = certify(*held.history.history, *held.model.model, held.verdict, stoppable);
        if (!certificate) return certificate.error();
        return format_certificate(*certificate);
      });
}

std::pair<bool, std::string> verify_certificate(const HeldHistory& history,
                                                const std::optional<HeldModel>& model,
                                                const std::string& certificate) {
  const auto certificates = taken(parse_certificates(certificate));
  if (certificates.size() != 1) raise({fmt::format("{} certificates; expected one", certificates.size())});
  const Certificate& one = certificates.front();
  const HeldModel held = model                              ? *model
                         : history.history->model().empty() ? model_by_name(one.model)
                                                            : model_of(history);
  if (held.model->name() != one.model) {
    raise({fmt::format("a certificate for the model '{}'; the history is one of '{}'", one.model,
                       held.model->name())});
  }
  const Verification verification = answered(
      {}, history, held, [&](const CheckOptions&) { return verify(*history.history, *held.model, one); });
  return {verification.proved, verification.reason};
}

}  // namespace plumb::python
