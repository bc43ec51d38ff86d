// An interleaving as lines of text: one per step, with changes of threads marked, source lines
// beside it, and loops folded.
#pragma once

#include <string>
#include <vector>

#include "document/document.hpp"

namespace plumb {

[[nodiscard]] std::string trace_text(const std::vector<DocumentStep>& lines);

}  // namespace plumb
