// What the engine recorded of a failing execution, as sections of a document.
#pragma once

#include <string>
#include <vector>

#include <plumb/explore.hpp>

#include "document/document.hpp"

namespace plumb::engine {

[[nodiscard]] std::vector<DocumentStep> document_steps(const std::vector<TraceStep>& trace);
// What led to the finding, and where: as lines, and in parts.
[[nodiscard]] std::vector<std::string> document_evidence(const std::vector<Evidence>& evidence);
[[nodiscard]] std::vector<DocumentEvidence> document_accesses(const std::vector<Evidence>& evidence);

}  // namespace plumb::engine
