// A deadlock as a picture: which thread waits for what, and who has it.
#pragma once

#include <string>

#include "document/document.hpp"

namespace plumb {

// Empty: no thread waits.
[[nodiscard]] std::string waiting_picture(const Document& document);

}  // namespace plumb
