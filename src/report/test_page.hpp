// The page of a test that failed: what is wrong, who called what, the interleaving in a lane per thread to step through, with the source
// and the values at each step, and the command that runs it again.
#pragma once

#include <string>

#include <plumb/report.hpp>

#include "document/document.hpp"

namespace plumb {

[[nodiscard]] std::string test_page(const Document& document, const ReportStyle& style);

}  // namespace plumb
