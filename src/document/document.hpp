// Everything that plumb finds, as one document: of a test, a stress round, an exploration or a history.
// Whoever found it fills in the sections that it has, in the field's words; what they look like as text, as a
// page, as a picture or as XML is up to the renderers, of which there is one file each (src/report). It knows
// nothing of columns, colours or tags.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "document/facts.hpp"

namespace plumb {

class HistoryView;  // src/report: the engine fills documents, too, and knows nothing of histories

// A step of the interleaving.
struct DocumentStep {
  int thread = 0;
  std::string what = {};   // "load Stack::head_: 0x1"
  std::string kind = {};   // the same without its values: what the rounds of a loop have in common
  std::string place = {};  // "stack.hpp:12 Stack::pop < test.cpp:30"
};

// Operations of one thread, with what they returned.
struct DocumentColumn {
  std::string title = {};
  std::vector<std::string> cells = {};
};

struct DocumentCommand {
  std::string label = {};  // "Replay"
  std::string line = {};
};

enum class DocumentSubject : std::uint8_t {
  kTest,         // or a stress run
  kExploration,  // a single one, whose document is short
  kHistory,      // its verdict: the history is what there is to show
};

// Sections that are empty are left out.
struct Document {
  DocumentSubject subject = DocumentSubject::kTest;
  std::string name = {};                            // of the test or the history
  std::string verdict = {};                         // "violation", "unknown", "pass", …
  std::string kind = {};                            // of a violation: "not-linearizable", "race", …
  std::string summary = {};                         // what is wrong, in sentences
  std::vector<std::string> evidence = {};           // what proves it, line by line
  std::vector<DocumentColumn> scenario = {};        // who called what
  std::shared_ptr<const HistoryView> history = {};  // as it was recorded or observed
  std::vector<DocumentStep> trace = {};             // the interleaving
  std::vector<std::string> remarks = {};            // how it was found, where it is kept
  std::vector<DocumentCommand> commands = {};
  Facts facts = {};    // the same and more, for programs
  double seconds = 0;  // that it took
};

// The sections as text. The history's is made by whoever knows of histories: see render_text in src/report/renderers.hpp.
[[nodiscard]] std::string document_text(const Document& document, std::string_view history = {});

}  // namespace plumb
