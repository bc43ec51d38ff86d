// From a document to the result of a test, and back: every result is one, for whoever renders all of them.
#pragma once

#include <plumb/test.hpp>

#include "document/document.hpp"

namespace plumb::testing {

// The result's report is its text.
void keep_document(Document document, TestResult& result);
[[nodiscard]] Document document_of(const TestResult& result);

}  // namespace plumb::testing
