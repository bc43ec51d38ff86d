// The renderer of documents as pages.
#pragma once

#include <string>

#include "document/document.hpp"

namespace plumb {

[[nodiscard]] std::string render_html(const Document& document);

}  // namespace plumb
