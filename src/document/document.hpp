// Everything that plumb finds, as one document: of a test, a stress round, an exploration or a history.
// Whoever found it fills in the sections that it has, in the field's words; what they look like as text, as a
// page, as a picture or as XML is up to the renderers, of which there is one file each (src/report). It knows
// nothing of columns, colours or tags.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "document/facts.hpp"

namespace plumb {

class HistoryView;  // src/report: the engine fills documents, too, and knows nothing of histories

// A line of the source.
struct DocumentPlace {
  std::string file = {};  // as the compiler knows it
  unsigned line = 0;
  std::string function = {};
};

// A step of the interleaving.
struct DocumentStep {
  int thread = 0;
  std::string what = {};   // "load Stack::head_: 0x1"
  std::string kind = {};   // the same without its values: what the rounds of a loop have in common
  std::string place = {};  // "stack.hpp:12 Stack::pop < test.cpp:30"
  // The same in parts.
  std::string action = {};  // "load", "call", "return" …
  std::string object = {};  // "Stack::head_"; of a call, "push(1)"
  std::string order = {};   // memory order, of an atomic access
  std::string seen = {};    // values, of an atomic access: before,
  std::string left = {};    // and after, where it changed
  std::string note = {};    // a sentence about it, on a line of its own
  bool fails = false;       // a compare-exchange that changed nothing
  // Under a weak memory model, places in the trace: whose value it read, the newest one whose value it did not see, and with what it
  // synchronises.
  std::optional<std::size_t> read_from = std::nullopt;
  std::optional<std::size_t> newer = std::nullopt;
  std::vector<std::size_t> synchronises_with = {};
  std::vector<DocumentPlace> places = {};  // outwards
};

// What led to the finding, and where: both accesses of a race, where memory was freed …
struct DocumentEvidence {
  std::string what = {};
  std::vector<DocumentPlace> places = {};  // outwards
};

// Operations of one thread, with what they returned.
struct DocumentColumn {
  std::string title = {};
  std::vector<std::string> cells = {};
  std::optional<std::size_t> wrong = std::nullopt;  // the cell that is impossible, or never returns
};

// An operation of the serial run that comes closest to what was observed.
struct DocumentSerialCall {
  std::string who = {};       // "thread 1"
  std::string call = {};      // "pop() -> 1"
  std::string observed = {};  // where that differs: "null"
  bool is_missing = false;    // it was observed, and that run is without it
};

// Lines of a file around what happened, so that a report stands alone.
struct DocumentSource {
  std::string file = {};
  unsigned first = 0;  // the number of its first line
  std::vector<std::string> lines = {};
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
  std::vector<DocumentEvidence> accesses = {};      // the same, with places
  std::vector<DocumentColumn> scenario = {};        // who called what
  std::vector<DocumentSerialCall> serial = {};      // the closest serial run, which the summary also tells
  std::shared_ptr<const HistoryView> history = {};  // as it was recorded or observed
  std::vector<DocumentStep> trace = {};             // the interleaving
  std::vector<DocumentSource> sources = {};         // of its steps, and of what led to the finding
  std::vector<std::string> remarks = {};            // how it was found, where it is kept
  std::string suggestion = {};                      // what would mend it, as far as that was tried
  std::vector<DocumentCommand> commands = {};
  DocumentPlace defined = {};  // where the test stands; no file: not known
  Facts facts = {};            // the same and more, for programs
  double seconds = 0;          // that it took

  // The line that a finding is shown at: what led to it, else the last step in the source, else the test itself. Null: there is none.
  [[nodiscard]] const DocumentPlace* where() const;
};

// The sections as text. The history's is made by whoever knows of histories: see render_text in src/report/renderers.hpp.
[[nodiscard]] std::string document_text(const Document& document, std::string_view history = {});

}  // namespace plumb
