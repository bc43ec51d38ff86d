// Everything that plumb finds, as one document: of a test, a stress round, an exploration or a history.
// Whoever found it fills in the sections that it has, in the field's words; what they look like as text, as a
// page or as JUnit's XML is up to the renderers, of which there is one file each. It knows nothing of
// columns, colours or tags.
#pragma once

#include <string>
#include <vector>

namespace plumb {

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

// Sections that are empty are left out.
struct Document {
  std::string name = {};  // the test or the history; none: of a single exploration, whose document is short
  std::string verdict = {};                   // "violation", "unknown", "pass", …
  std::string kind = {};                      // of a violation: "not-linearizable", "race", …
  std::string summary = {};                   // what is wrong, in sentences
  std::vector<std::string> evidence = {};     // what proves it, line by line
  std::vector<DocumentColumn> scenario = {};  // who called what
  std::string history = {};                   // as it was observed: text, for terminals
  std::string picture = {};                   // the same as SVG, for pages
  std::vector<DocumentStep> trace = {};       // the interleaving
  std::vector<std::string> remarks = {};      // how it was found, where it is kept
  std::vector<DocumentCommand> commands = {};
  double seconds = 0;  // that it took
};

[[nodiscard]] std::string render_text(const Document& document);

}  // namespace plumb
