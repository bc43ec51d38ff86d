// A verdict as Python holds it: with its history and its model, which explanations, reports and certificates need again.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include <pybind11/pybind11.h>

#include <plumb/check.hpp>

#include "python/history.hpp"
#include "python/models.hpp"

namespace plumb::python {

struct HeldVerdict {
  HeldHistory history;
  HeldModel model;
  CheckOptions options;
  Verdict verdict;
};

[[nodiscard]] Engine engine_by_name(const std::string& name);

[[nodiscard]] HeldVerdict check_history(const HeldHistory& history, const HeldModel& model,
                                        const CheckOptions& options);

// The name of the model for people: "any" where none was named.
[[nodiscard]] std::string model_name(const HeldVerdict& held);
// In the format that the ending of a file's name means, such as ".html".
[[nodiscard]] std::string report_of(const HeldVerdict& held, const std::string& ending, std::size_t width,
                                    bool color);
[[nodiscard]] std::string certificate_of(const HeldVerdict& held);

// Whether a certificate, as text, proves its verdict for this history, and why not. Without a model it is the one that the history names, or
// else the certificate.
[[nodiscard]] std::pair<bool, std::string> verify_certificate(const HeldHistory& history,
                                                              const std::optional<HeldModel>& model,
                                                              const std::string& certificate);

}  // namespace plumb::python
