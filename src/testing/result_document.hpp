// From a document to the result of a test, and back: every result is one, for whoever renders all of them.
#pragma once

#include <string>

#include <plumb/test.hpp>

#include "document/document.hpp"

namespace plumb {

// "race" …; empty: nothing was found.
[[nodiscard]] std::string kind_text(const TestResult& result);

struct ResultDocument {
  // The result's report is its text.
  static void keep(Document document, TestResult& result);
  [[nodiscard]] static Document of(const TestResult& result);
};

}  // namespace plumb
