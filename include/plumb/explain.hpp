// Why is this history not linearizable? The few operations that prove it, and a sentence about them.
//
// The core is what is left when everything that a rule allows to be dropped has been dropped. The rules are those of
// docs/certificates.md: each is proved in src/proof/rules.cpp, and `plumb verify` applies them again from scratch.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plumb/certificate.hpp>
#include <plumb/check.hpp>
#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>

namespace plumb {

// One operation of an order, and the state of the object just after it, as the model writes it.
struct ExplainedStep {
  OperationId operation = 0;
  std::string state;
  // With relaxed classes: the operation that the legal history has at this place. The state is that of the legal history.
  std::optional<OperationId> legal = std::nullopt;
};

// What one rule dropped: {"called after the impossible return", 97012}.
struct Reduction {
  std::string rule;
  std::size_t operations = 0;
};

struct Explanation {
  std::vector<OperationId> core;  // these operations alone, as they were recorded, are a violation; ascending
  std::vector<Reduction> dropped;     // how the others were dropped, in order
  std::vector<Rule> rules;            // the same for a certificate
  bool minimal = false;               // no operation, and no value, can be dropped on its own any more
  OperationId impossible = 0;         // of the core: the operation whose return cannot be explained
  std::vector<ExplainedStep> prefix;  // a linearization of what of the core returned before it
  std::vector<std::string> allowed;   // the results it could have had after the core, as JSON
  bool allowed_complete = true;       // false: there are more than are listed
  std::string sentence;               // for a colleague
  std::vector<OperationId> named;     // those it names, all in the core; first the impossible one
};

// `verdict` must be a violation of this history and this model. Fails only where check() does. The budgets of `options`
// hold for the search for a smaller core: when they run out, the core is what was found so far, and not `minimal`.
[[nodiscard]] Result<Explanation> explain(const History& history, const Model& model, const Verdict& verdict,
                                          const CheckOptions& options = {});

// The states along an order, from its step `from` on, at most `count` of them. Earlier steps are run but not written, which
// keeps a page of a long order cheap. An order that the model cannot run ends where the model gets stuck.
[[nodiscard]] std::vector<ExplainedStep> walk(const History& history, const Model& model,
                                              std::span<const OperationId> order, std::size_t from = 0,
                                              std::size_t count = ~std::size_t{0});

// The certificate of a verdict: the order of a linearizable history, the explained core of a violation. One of `unknown`
// says so and proves nothing.
[[nodiscard]] Result<Certificate> certify(const History& history, const Model& model, const Verdict& verdict,
                                          const CheckOptions& options = {});

}  // namespace plumb
