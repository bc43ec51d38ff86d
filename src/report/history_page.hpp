// The page of a history with nothing beside it, to look around in.
#pragma once

#include <string>

#include "document/document.hpp"

namespace plumb {

// Of what history_document() made.
[[nodiscard]] std::string history_page(const Document& document);

}  // namespace plumb
