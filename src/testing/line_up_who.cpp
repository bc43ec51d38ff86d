// How messages call what stands still in a scenario (explore/standstill.hpp). Asked by the thread that watches, while another runs:
// only what does not change is looked at, and the two words of the observed history.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "testing/line_up.hpp"

namespace plumb::testing {
namespace {

// [push(1), pop()] [pop()]
std::string scenario_text(const TestCase& test, const Scenario& scenario) {
  std::vector<std::string> threads;
  for (const auto& calls : scenario.threads) {
    std::vector<std::string> labels;
    labels.reserve(calls.size());
    for (const InvocationId call : calls) labels.push_back(test.label(call));
    threads.push_back(fmt::format("[{}]", fmt::join(labels, ", ")));
  }
  return fmt::format("{}", fmt::join(threads, " "));
}

}  // namespace

std::string LineUp::who(int thread, std::optional<std::uint32_t> operation) const {
  const std::string scenario = " of the scenario " + scenario_text(test_, scenario_);
  if (thread != 0 || operation) {
    const std::string what = operation ? label(*operation) : "what comes between two operations";
    const bool after = thread == 0 && layout_.process(*operation) != 0;
    const std::string where = thread != 0 ? fmt::format("in thread {}", thread)
                              : after     ? "after the threads"
                                          : "before the threads";
    return fmt::format("{} {}{}", what, where, scenario);
  }
  const char* what = observed_.called() == 0 ? "constructor" : "destructor";
  return fmt::format("a {} of {}{}", what, test_.name(), scenario);
}

std::string LineUp::operation_name(std::uint32_t operation) const {
  return test_.operations()[test_.invocations()[layout_.invocation(operation)].operation].name + "()";
}

void LineUp::cannot_be_ended(const std::string& sentence) {
  if (cannot_end_) cannot_end_(sentence);
}

}  // namespace plumb::testing
