// A verdict as something to look at: text for a terminal, a page for a browser, a picture for a paper, JSON for a program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <plumb/check.hpp>
#include <plumb/history.hpp>
#include <plumb/model.hpp>
#include <plumb/result.hpp>

namespace plumb {

enum class ReportFormat : std::uint8_t {
#define PLUMB_REPORT(name, ending, function, detail, what) name,
#include "plumb/detail/reports.def"
#undef PLUMB_REPORT
};

// What a history does not know of itself. Where it comes from is for headings only.
struct ReportSource {
  std::string file = {};
  std::size_t index = 0;   // of the history in its file
  bool alone = true;       // the only history of its file
  std::string model = {};  // the name to show; by default that of the model
};

struct ReportStyle {
  std::size_t width = 80;  // of the text, in columns
  bool color = false;      // of the text, with ANSI escapes
};

// The report of a verdict that check() gave for this history and this model. The budgets of `options` hold for the search
// for the smallest core. Fails only where check() does.
[[nodiscard]] Result<std::string> make_report(const History& history, const Model& model,
                                              const Verdict& verdict, ReportFormat format,
                                              const ReportSource& source = {}, const ReportStyle& style = {},
                                              const CheckOptions& options = {});

// The format that the ending of a file's name means, such as .html.
[[nodiscard]] Result<ReportFormat> report_format(std::string_view file);

}  // namespace plumb
