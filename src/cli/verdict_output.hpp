// A verdict as a line of JSON, as text for a person, and as a document.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <plumb/check.hpp>
#include <plumb/history.hpp>

#include "document/document.hpp"

namespace plumb::cli {

// One history with what was found out about it.
struct Judged {
  std::string_view file;
  std::size_t index = 0;  // of the history in its file
  bool alone = true;      // the only history of its file
  const History* history = nullptr;
  std::string_view model;
  const Verdict* verdict = nullptr;
};

// With the line end. The keys of INTERFACES.md come first, in that order; more may follow.
[[nodiscard]] std::string verdict_json(const Judged& judged);
[[nodiscard]] std::string verdict_text(const Judged& judged, bool color, bool verbose);
// For the renderers that have all verdicts in one file.
[[nodiscard]] Document verdict_document(const Judged& judged);

}  // namespace plumb::cli
