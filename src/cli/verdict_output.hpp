// A verdict as a document, for all renderers, and as the few lines that a terminal shows of it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/history.hpp>
#include <plumb/report.hpp>

#include "document/document.hpp"

namespace plumb::cli {

// One history with what was found out about it.
struct CheckedHistory {
  std::string_view file;
  std::size_t index = 0;  // of the history in its file
  bool alone = true;      // the only history of its file
  const History* history = nullptr;
  std::string_view model;
  const Verdict* verdict = nullptr;
};

[[nodiscard]] ReportSource source_of(const CheckedHistory& checked);
[[nodiscard]] Document document_of(const CheckedHistory& checked);

[[nodiscard]] std::string verdict_text(const CheckedHistory& checked, bool color, bool verbose);
// Of them: those under the first, which let a person see a violation, and "queue, 6 operations, …".
[[nodiscard]] std::vector<std::string> verdict_lines(const CheckedHistory& checked);
[[nodiscard]] std::string figures_text(const CheckedHistory& checked);

}  // namespace plumb::cli
