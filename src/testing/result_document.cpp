#include "testing/result_document.hpp"

#include <memory>
#include <utility>

namespace plumb::testing {

void keep_document(Document document, TestResult& result) {
  result.document = std::make_shared<const Document>(std::move(document));
  result.report = render_text(*result.document);
}

Document document_of(const TestResult& result) {
  Document document;
  if (result.document) {
    document = *result.document;
  } else {
    document.name = result.test;
    document.verdict = to_string(result.verdict);
    document.kind = result.kind;
    document.summary = result.message;
  }
  document.seconds = result.elapsed_ms / 1'000;
  return document;
}

}  // namespace plumb::testing
