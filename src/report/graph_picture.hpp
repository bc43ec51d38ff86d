// An execution under a weak memory model as a graph: the events of each thread from above, and whose values they read.
#pragma once

#include <string>

#include "document/document.hpp"

namespace plumb {

// Whether it is the return of the operation that is impossible.
[[nodiscard]] bool is_wrong(const Document& document, const DocumentStep& step);

// The picture, and what its lines mean; empty where no step read from another.
[[nodiscard]] std::string graph_picture(const Document& document);

}  // namespace plumb
