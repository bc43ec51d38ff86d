// The result of a test in the formats of reports.
#include <plumb/test.hpp>

#include "report/renderers.hpp"
#include "testing/result_document.hpp"

namespace plumb {

std::string_view to_string(ViolationKind kind) {
  switch (kind) {
#define PLUMB_VIOLATION_KIND(name, text) \
  case ViolationKind::name:              \
    return text;
#include "plumb/detail/violation_kinds.def"
#undef PLUMB_VIOLATION_KIND
  }
  return "";
}

std::string_view to_string(CutOff cut) {
  switch (cut) {
#define PLUMB_CUT_OFF(name, text) \
  case CutOff::name:              \
    return text;
#include "plumb/detail/cut_offs.def"
#undef PLUMB_CUT_OFF
  }
  return "";
}

std::string_view to_string(const TestResult& result) {
  return result.refused ? "error" : to_string(result.verdict, "pass");
}

std::string TestResult::rendered(ReportFormat format) const {
  if (format == ReportFormat::kText) return report;
  return renderer_of(format).render(ResultDocument::of(*this), {});
}

std::string TestResult::json() const {
  std::string line = rendered(ReportFormat::kJson);
  line.pop_back();
  return line;
}

}  // namespace plumb
