// Documents as JUnit's XML, which build servers read: one test case per document.
//
// A violation is a failure. What is unknown, or could not be judged at all, is an error: nobody
// should take it for a pass.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "document/document.hpp"

namespace plumb {

[[nodiscard]] std::string render_junit(std::string_view suite, std::span<const Document> documents);

}  // namespace plumb
