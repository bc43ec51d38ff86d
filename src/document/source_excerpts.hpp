// The lines around every step of a document, from the files as they are on this machine. What cannot be read is left out.
#pragma once

#include <vector>

#include "document/document.hpp"

namespace plumb {

// One per stretch of a file, in order; none overlap.
[[nodiscard]] std::vector<DocumentSource> source_excerpts(const Document& document);

}  // namespace plumb
