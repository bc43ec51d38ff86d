#include "testing/ended_process.hpp"

#include <fmt/format.h>

#include "explore/debug_info.hpp"
#include "testing/result_document.hpp"

namespace plumb::testing {
namespace {

// "exit(0) at queue.cpp:12"
std::string call_text(const runtime::EndOfProcess& end) {
  if (end.call.empty()) return "a call that is not known: exit(), from within a library";
  const auto places =
      engine::DebugInfo::instance().places({{.pc = reinterpret_cast<std::uintptr_t>(end.pc) - 1}}, nullptr);
  if (places.empty()) return end.call;
  const std::string& file = places.front().file;
  return fmt::format("{} at {}:{}", end.call, file.substr(file.rfind('/') + 1), places.front().line);
}

}  // namespace

TestResult ended_process(const std::string& test, const runtime::EndOfProcess& end) {
  TestResult result;
  result.test = test;
  if (end.under_test.empty()) {
    result.verdict = Outcome::kUnknown;
    result.refused = true;
    result.message = "the process was ended before there was a verdict, by " + call_text(end);
    result.report = fmt::format("{}: {}\n", test, result.message);
    return result;
  }
  result.verdict = Outcome::kViolation;
  result.kind = ViolationKind::kCrash;
  result.message = fmt::format("{} ended the process: {}", end.under_test, call_text(end));
  ResultDocument::keep({.name = test,
                        .verdict = "violation",
                        .kind = kind_text(result),
                        .summary = result.message,
                        .remarks = {"The tests after this one were not run."}},
                       result);
  return result;
}

}  // namespace plumb::testing
