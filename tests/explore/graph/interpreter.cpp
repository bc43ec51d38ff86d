#include "interpreter.hpp"

#include <sstream>

namespace plumb_tests {
namespace {

namespace graph = plumb::engine::graph;
using graph::Event;
using graph::EventKind;
using Kind = Instruction::Kind;

constexpr std::uint16_t kSize = 4;

std::uint64_t bits(std::int64_t value) { return static_cast<std::uint32_t>(value); }
std::int64_t number(std::uint64_t value) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(value));
}

class Interpreter {
 public:
  Interpreter(const LitmusProgram& program, graph::Model model) : program_(program), search_(model) {}

  Explored explore() {
    do {
      run();
    } while (search_.next());
    return result_;
  }

 private:
  void run() {
    search_.graph().need_locations(program_.locations.size());
    for (std::size_t i = 0; i < program_.initial.size(); ++i)
      search_.graph().location(static_cast<std::uint16_t>(i)).initial = bits(program_.initial[i]);
    LitmusOutcome outcome;
    for (std::size_t i = 0; i < program_.threads.size(); ++i) run_thread(static_cast<int>(i), outcome);
    for (std::size_t i = 0; i < program_.locations.size(); ++i) {
      const graph::Location& at = search_.graph().location(static_cast<std::uint16_t>(i));
      outcome[program_.locations[i]] = number(search_.graph().value(at.at(at.last_place()), at));
    }
    ++result_.executions;
    result_.outcomes.insert(outcome);
    if (!seen_.insert(text()).second) ++result_.duplicates;
  }

  void run_thread(int thread, LitmusOutcome& outcome) {
    int at = 0;
    std::map<std::string, std::int64_t> registers;
    const auto next = [&](auto add) -> const Event& {
      if (at == search_.graph().length(thread)) add();
      return search_.graph()[graph::event_id(thread, static_cast<std::size_t>(at++))];
    };
    next([&] { search_.add_other(thread, {.kind = EventKind::kBegin}); });
    run_code(program_.threads[static_cast<std::size_t>(thread)], registers,
             [&](const Instruction& instruction, std::int64_t value, std::int64_t expected) {
               const Event access = event_of(instruction, value, expected);
               const Event& event = next([&] { add(thread, access); });
               if (event.succeeds) ++at;
               return number(event.value);
             });
    for (const auto& [name, value] : registers) outcome[std::to_string(thread) + ":" + name] = value;
  }

  static Event event_of(const Instruction& instruction, std::int64_t value, std::int64_t expected) {
    Event event{.order = instruction.order, .failure_order = instruction.failure_order};
    event.operand = bits(value);
    event.expected = bits(expected);
    if (instruction.kind == Kind::kFence) return event;
    event.location = static_cast<std::uint16_t>(instruction.location);
    event.size = kSize;
    event.kind = EventKind::kUpdateRead;
    if (instruction.kind == Kind::kLoad) event.kind = EventKind::kRead;
    if (instruction.kind == Kind::kStore) event.kind = EventKind::kWrite;
    if (instruction.kind == Kind::kStore) event.value = bits(value);
    if (instruction.kind == Kind::kAdd) event.update = graph::Update::kAdd;
    if (instruction.kind == Kind::kCompareExchange) event.update = graph::Update::kCompareExchange;
    return event;
  }

  void add(int thread, const Event& access) {
    if (access.kind == EventKind::kFence) return search_.add_other(thread, access);
    if (access.kind == EventKind::kWrite) return search_.add_write(thread, access);
    search_.add_read(thread, access);
  }

  // Of the graph: two are the same if and only if their texts are.
  std::string text() {
    std::ostringstream out;
    const auto name = [&](graph::EventId id) { out << id.thread << '.' << id.index << ' '; };
    for (int thread = 0; thread < search_.graph().thread_count(); ++thread) {
      for (const Event& event : search_.graph().events_of(thread)) {
        if (is_read(event)) name(event.source);
      }
    }
    for (std::size_t i = 0; i < program_.locations.size(); ++i) {
      out << '/';
      for (const graph::EventId write : search_.graph().location(static_cast<std::uint16_t>(i)).writes)
        name(write);
    }
    return out.str();
  }

  const LitmusProgram& program_;
  graph::Search search_;
  Explored result_;
  std::set<std::string> seen_;
};

}  // namespace

Explored explore_by_graphs(const LitmusProgram& program, graph::Model model) {
  return Interpreter(program, model).explore();
}

}  // namespace plumb_tests
