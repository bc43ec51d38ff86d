// A failure as a document: what is impossible, what serial runs allow, the scenario with what was observed, the history as a picture,
// the interleaving, and the command that runs it again.
#include <algorithm>
#include <cctype>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <plumb/check.hpp>

#include "base/count_of.hpp"
#include "base/shell_word.hpp"
#include "document/source_excerpts.hpp"
#include "explore/memory_models.hpp"
#include "explore/trace_document.hpp"
#include "report/history_view.hpp"
#include "testing/blame.hpp"
#include "testing/client_text.hpp"
#include "testing/failure_hint.hpp"
#include "testing/lenient_model.hpp"
#include "testing/observed_model.hpp"
#include "testing/result_document.hpp"
#include "testing/test_run.hpp"

namespace plumb::testing {
namespace {

class FailureDocument {
 public:
  FailureDocument(const TestCase& test, const Failure& failure, const TestResult& result)
      : test_(test),
        failure_(failure),
        result_(result),
        line_up_(*failure.line_up),
        layout_(line_up_.layout()),
        observed_(line_up_.observed()) {}

  Document write() {
    document_.name = result_.test;
    document_.verdict = "violation";
    document_.kind = kind_text(result_);
    if (line_up_.contradiction()) {
      write_contradiction();
    } else {
      write_summary();
      document_.scenario = columns();
      document_.history = history();
      document_.trace = engine::document_steps(labelled_trace());
      document_.sources = source_excerpts(document_);
    }
    add_failures();
    document_.remarks.push_back(how_it_was_found());
    if (failure_.outcome.memory_model != MemoryModel::kSequential) write_client();
    document_.suggestion = suggestion();
    document_.commands = {
        {"Replay", failure_.program.empty()
                       ? fmt::format("plumb::check<…>(…, {{.replay = \"{}\"}})", result_.replay)
                       : fmt::format("{} --replay {}", failure_.program, shell_word(result_.replay))}};
    return std::move(document_);
  }

 private:
  [[nodiscard]] std::string label(std::size_t operation) const {
    return test_.label(layout_.invocation(operation));
  }
  [[nodiscard]] std::string value(Value v) const { return test_.values().to_json(v); }
  [[nodiscard]] bool returns_nothing(std::size_t operation) const {
    const auto& invocation = test_.invocations()[layout_.invocation(operation)];
    return test_.operations()[invocation.operation].returns_nothing;
  }
  [[nodiscard]] std::string outcome(std::size_t operation, Value result) const {
    if (const auto what = test::what_was_thrown(result, test_.values()))
      return fmt::format("throws {}", *what);
    return returns_nothing(operation) ? std::string("returns") : "-> " + value(result);
  }
  [[nodiscard]] std::string whole(std::size_t operation) const {
    if (!observed_.called(operation)) return label(operation) + " (not reached)";
    if (!observed_.returned(operation)) return fmt::format("{} ({})", label(operation), why_open(operation));
    if (returns_nothing(operation) && observed_.result(operation).is_null()) return label(operation);
    return label(operation) + " " + outcome(operation, observed_.result(operation));
  }
  // Of one that has not returned: a fault ends the execution where it happens, and says nothing of those that are open.
  [[nodiscard]] std::string_view why_open(std::size_t operation) const {
    const auto& kind = result_.kind;
    if (kind == ViolationKind::kNotLinearizable || kind == ViolationKind::kStuck ||
        kind == ViolationKind::kLivelock)
      return "never returns";
    const std::vector<TraceStep>& trace = failure_.outcome.trace;
    const std::size_t process = layout_.process(operation);
    const bool serial = process == 0 || process + 1 == layout_.processes();  // run by the test, its thread 0
    const auto thread = serial ? 0 : static_cast<int>(process);
    return !trace.empty() && trace.back().thread == thread ? "here" : "not finished";
  }
  [[nodiscard]] std::string who(std::size_t operation) const {
    const std::size_t process = layout_.process(operation);
    if (process == 0) return " before the threads";
    if (process + 1 == layout_.processes()) return " after the threads";
    return fmt::format(" in thread {}", process);
  }

  void write_summary() {
    if (result_.kind != ViolationKind::kNotLinearizable || test_.chosen_model() != nullptr) {
      document_.summary = result_.message + ".";
      document_.evidence = engine::document_evidence(failure_.outcome.evidence);
      document_.accesses = engine::document_accesses(failure_.outcome.evidence);
      return;
    }
    const Blame blame =
        line_up_.is_tree_whole() && line_up_.is_clocked()
            ? find_blame(line_up_.tree(), layout_, observed_, line_up_.failures().permitted(observed_))
            : Blame{};
    wrong_ = blame.operation;
    if (blame.operation) {
      std::vector<std::string> allowed;
      for (const Value each : blame.allowed)
        allowed.push_back(verb("returns", outcome(*blame.operation, each)));
      if (allowed.empty()) allowed.emplace_back("blocks");
      document_.summary = fmt::format(
          "{}{} {}, which is impossible: run one after the other in any order that fits what was observed, "
          "with every "
          "other result as it was, it {}.",
          label(*blame.operation), who(*blame.operation),
          verb("returned", outcome(*blame.operation, observed_.result(*blame.operation))),
          fmt::join(allowed, " or "));
    } else {
      document_.summary =
          "No order of these operations, run one after the other, gives these results and keeps what was "
          "observed.";
    }
    if (blame.closest.empty()) return;
    document_.summary += "\n\nThe closest serial run: " + serial(blame);
    document_.serial = serial_calls(blame);
  }
  [[nodiscard]] bool is_left_out(const Blame& blame, std::size_t operation) const {
    return observed_.returned(operation) &&
           std::ranges::find(blame.closest, operation) == blame.closest.end();
  }
  // Of a column.
  [[nodiscard]] std::string title(std::size_t process) const {
    if (process == 0) return "before";
    return process + 1 == layout_.processes() ? "after" : fmt::format("thread {}", process);
  }
  // The same for a page, with what was observed where that differs.
  [[nodiscard]] std::vector<DocumentSerialCall> serial_calls(const Blame& blame) const {
    std::vector<DocumentSerialCall> calls;
    for (std::size_t i = 0; i < blame.closest.size(); ++i) {
      const std::size_t operation = blame.closest[i];
      DocumentSerialCall& call = calls.emplace_back();
      call.who = title(layout_.process(operation));
      const bool blocks = i == blame.closest_results.size();
      const bool differs = blocks || blame.closest_results[i] != observed_.result(operation);
      call.call = label(operation);
      if (blocks) {
        call.call += " blocks";
      } else if (!returns_nothing(operation) || differs) {
        call.call += " " + outcome(operation, blame.closest_results[i]);
      }
      if (!differs) continue;
      call.observed = observed_.returned(operation) ? outcome(operation, observed_.result(operation))
                                                    : std::string(why_open(operation));
      if (call.observed.starts_with("-> ")) call.observed.erase(0, 3);
    }
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if (is_left_out(blame, i))
        calls.push_back({.who = title(layout_.process(i)), .call = whole(i), .is_missing = true});
    }
    return calls;
  }
  // "-> 1" as part of a sentence.
  static std::string verb(const char* returns, const std::string& outcome) {
    return outcome.starts_with("-> ") ? fmt::format("{} {}", returns, outcome.substr(3)) : outcome;
  }
  [[nodiscard]] std::string serial(const Blame& blame) const {
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < blame.closest.size(); ++i) {
      const std::size_t operation = blame.closest[i];
      if (i == blame.closest_results.size()) {
        steps.push_back(fmt::format("[{} blocks]", label(operation)));
        continue;
      }
      const bool differs = blame.closest_results[i] != observed_.result(operation);
      std::string step = label(operation);
      if (!returns_nothing(operation) || differs) step += " " + outcome(operation, blame.closest_results[i]);
      steps.push_back(differs ? "[" + step + "]" : step);
    }
    std::vector<std::string> left_out;
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if (is_left_out(blame, i)) left_out.push_back(label(i) + who(i));
    }
    return fmt::format("{}\n(in brackets: what differs{})", fmt::join(steps, ", "),
                       left_out.empty() ? "" : fmt::format("; without {}", fmt::join(left_out, ", ")));
  }

  // Calls that may fail, and did: a reader is to know why these are all right, and which is not.
  void add_failures() {
    if (line_up_.contradiction()) return;
    const SpuriousFailures& failures = line_up_.failures();
    const std::uint64_t permitted = failures.permitted(observed_);
    const std::uint64_t alone = failures.uncontended(observed_);
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if ((permitted >> i & 1U) != 0)
        document_.remarks.push_back(
            fmt::format("{}{} may fail, and did: a serial run may leave it out.", label(i), who(i)));
      if ((alone >> i & 1U) != 0)
        document_.remarks.push_back(
            fmt::format("{}{} may fail while another operation runs, but none did: alone it has to do what a "
                        "serial run does.",
                        label(i), who(i)));
    }
  }

  std::vector<DocumentColumn> columns() {
    std::vector<DocumentColumn> columns;
    for (std::size_t process = 0; process < layout_.processes(); ++process) {
      if (layout_.count(process) == 0) continue;
      DocumentColumn& column = columns.emplace_back();
      column.title = title(process);
      for (std::size_t i = 0; i < layout_.count(process); ++i) {
        const std::size_t operation = layout_.first(process) + i;
        if (operation == wrong_ || operation == line_up_.blocked()) column.wrong = i;
        column.cells.push_back(whole(operation));
      }
    }
    return columns;
  }

  // Under a weak memory model: who has to know what for this to be seen.
  void write_client() {
    const engine::MemoryModelRow& model = engine::row_of(failure_.outcome.memory_model);
    document_.summary = fmt::format("Under {}, {}: {}", model.word, model.what, document_.summary);
    const bool is_seen_by_client =
        result_.kind == ViolationKind::kNotLinearizable || result_.kind == ViolationKind::kStuck;
    if (!is_seen_by_client) return;
    const std::vector<std::string> words = client_in_words(test_, layout_, failure_.outcome.client);
    if (words.empty()) {
      document_.evidence.emplace_back("What the class itself synchronises is enough to see it.");
    } else {
      document_.evidence.emplace_back("It is seen by a client in which");
      for (const std::string& each : words) document_.evidence.push_back("  " + each);
    }
    std::vector<std::string> returned(layout_.size());
    for (std::size_t i = 0; i < layout_.size(); ++i) {
      if (observed_.returned(i) && !returns_nothing(i)) returned[i] = outcome(i, observed_.result(i));
      if (observed_.called(i) && !observed_.returned(i)) returned[i] = "never returns";
    }
    document_.remarks.push_back(
        "The client as a program:\n\n" +
        client_as_code(failure_.outcome.memory_model, test_, layout_, failure_.outcome.client, returned) +
        "\n");
  }

  // Memory orders that would be enough, or a contract that would.
  [[nodiscard]] std::string suggestion() const {
    const bool about_results = result_.kind == ViolationKind::kNotLinearizable && !line_up_.contradiction();
    if (!failure_.outcome.suggestion.empty() || !about_results || !line_up_.is_clocked())
      return failure_.outcome.suggestion;
    return may_fail_hint(test_, line_up_);
  }

  void write_contradiction() {
    const SerialTree::Contradiction& found = *line_up_.contradiction();
    const auto line = [&](const std::optional<Value>& result) {
      std::vector<std::string> steps;
      for (std::size_t i = 0; i + 1 < found.order.size(); ++i) steps.push_back(label(found.order[i]));
      const std::size_t last = found.order.back();
      steps.push_back(label(last) + " " + (result ? outcome(last, *result) : "blocks"));
      return fmt::format("{}", fmt::join(steps, ", "));
    };
    document_.summary = result_.message + ":";
    document_.evidence = {line(found.before), line(found.now)};
  }

  // As it was observed; nothing where it cannot be drawn.
  [[nodiscard]] std::shared_ptr<const HistoryView> history() const {
    if (observed_.events().empty() || !line_up_.is_clocked()) return nullptr;
    History as_run = observed_.history(test_, layout_);
    std::shared_ptr<const Model> judge;
    if (test_.chosen_model() == nullptr) {
      judge = observed_model(test_, layout_, line_up_.tree(), line_up_.failures().permitted(observed_));
    } else {
      Lenient judged = lenient(std::move(as_run), *test_.chosen_model(), test_);
      as_run = std::move(judged.history);
      judge = std::move(judged.model);
    }
    auto history = std::make_shared<const History>(std::move(as_run));
    const Model& model = *judge;
    const CheckOptions options = check_options(test_);
    auto verdict = plumb::check(*history, model, options);
    if (!verdict) return nullptr;
    auto view = HistoryView::make(std::move(history), model,
                                  std::make_shared<const Verdict>(std::move(verdict).value()),
                                  {.file = test_.name()}, options, Detail::kGlance);
    return view ? std::make_shared<const HistoryView>(std::move(view).value()) : nullptr;
  }

  [[nodiscard]] std::string how_it_was_found() const {
    const std::size_t drawn = failure_.found.size();
    const std::size_t left = line_up_.scenario().size();
    const std::string found = fmt::format("Found in scenario {} after {}", failure_.number + 1,
                                          count_of(result_.executions, "execution"));
    if (drawn == left) return found + ".";
    if (left == 1) return fmt::format("{}; of its {} operations this one is enough.", found, drawn);
    return fmt::format("{}; of its {} operations these {} are enough, and none of them can be left out.",
                       found, drawn, left);
  }

  // Calls and returns in the trace get the names of their operations.
  std::vector<TraceStep> labelled_trace() {
    std::vector<TraceStep> trace = failure_.outcome.trace;
    for (TraceStep& step : trace) {
      if (step.what != "call" && step.what != "return") continue;
      const auto operation = static_cast<std::size_t>(step.before);
      step.object = step.what == "call" ? label(operation) : "from " + whole(operation);
    }
    // That the object itself is made and deleted explains neither a result nor a race nor who waits; but what a block is that has no other name does.
    const bool about_results = result_.kind == ViolationKind::kNotLinearizable;
    const bool is_stuck = result_.kind == ViolationKind::kStuck || result_.kind == ViolationKind::kLivelock;
    if (about_results || is_stuck) leave_out_calling(trace);
    const bool is_race = result_.kind == ViolationKind::kRace;
    if (about_results || is_stuck ||
        (is_race && !proves([](const Evidence& e) { return e.what.find("thread 0") != std::string::npos; })))
      leave_out_the_end(trace);
    if (about_results || is_stuck || is_race) {
      const std::vector<TraceStep> shown = trace;
      std::erase_if(trace, [&](const TraceStep& step) {
        return is_set_up(step) && ((about_results && step.what == "free") || !is_named(step.object, shown));
      });
    }
    return trace;
  }
  // Where plain accesses are steps (allow_races), those by which the operation is called are, too: no line of the program makes them.
  static void leave_out_calling(std::vector<TraceStep>& trace) {
    const auto is_in_program = [](const TraceStep& step) {
      return std::ranges::any_of(step.places, [](const SourcePlace& place) {
        return place.file.find("/c++/") == std::string::npos;
      });
    };
    if (std::ranges::none_of(trace, is_in_program)) return;  // there is no debug information
    std::erase_if(trace, [&](const TraceStep& step) {
      return (step.what == "read" || step.what == "write") && !is_in_program(step);
    });
  }
  // Under a weak memory model an execution is run to its end, whatever was wrong in its middle: what the test does after all threads have
  // ended and all calls have returned is the end of the object's life.
  void leave_out_the_end(std::vector<TraceStep>& trace) const {
    if (failure_.outcome.memory_model == MemoryModel::kSequential) return;
    const auto last = std::find_if(trace.rbegin(), trace.rend(), [](const TraceStep& step) {
      return step.thread != 0 || step.what == "call" || step.what == "return";
    });
    if (last != trace.rend() && last->what != "call") trace.erase(last.base(), trace.end());
  }
  static bool is_set_up(const TraceStep& step) {
    return step.thread == 0 && (step.what == "allocate" || step.what == "free");
  }
  // By another step, or by what proves the finding.
  [[nodiscard]] bool is_named(const std::string& object, const std::vector<TraceStep>& trace) const {
    const auto names = [&](const std::string& text) {  // "block 0.1", but not in "block 0.12"
      const std::size_t at = text.find(object);
      if (at == std::string::npos) return false;
      const std::size_t end = at + object.size();
      return end == text.size() || std::isdigit(static_cast<unsigned char>(text[end])) == 0;
    };
    return std::ranges::any_of(trace, [&](const TraceStep& s) { return !is_set_up(s) && names(s.object); }) ||
           proves([&](const Evidence& e) { return names(e.what); });
  }
  template <class F>
  [[nodiscard]] bool proves(const F& is_what) const {
    return std::ranges::any_of(failure_.outcome.evidence, is_what);
  }

  const TestCase& test_;
  const Failure& failure_;
  const TestResult& result_;
  const LineUp& line_up_;
  const Layout& layout_;
  const ObservedHistory& observed_;
  std::optional<std::size_t> wrong_;  // the operation that is impossible
  Document document_;
};

}  // namespace

Document failure_document(const TestCase& test, const Failure& failure, const TestResult& result) {
  return FailureDocument(test, failure, result).write();
}

}  // namespace plumb::testing
