#include "brute_force.hpp"

#include <algorithm>

namespace plumb_tests {
namespace {

using plumb::engine::graph::Model;
using Kind = Instruction::Kind;

struct Node {
  int thread = -1;  // -1: an initial write
  int location = -1;
  bool reads = false;
  bool writes = false;
  bool fence = false;
  std::uint8_t order = 0;
  std::int64_t value = 0;
  int source = -1;  // of a read
  int update = -1;  // of a write: the read of its read-modify-write
};

class Relation {
 public:
  explicit Relation(std::size_t size) : size_(size), cells_(size * size) {}
  bool operator()(std::size_t a, std::size_t b) const { return cells_[a * size_ + b] != 0; }
  void add(std::size_t a, std::size_t b) { cells_[a * size_ + b] = 1; }
  std::size_t size() const { return size_; }
  Relation operator|(const Relation& other) const {
    Relation result = *this;
    for (std::size_t i = 0; i < cells_.size(); ++i) result.cells_[i] |= other.cells_[i];
    return result;
  }
  Relation then(const Relation& other) const {
    Relation result(size_);
    for (std::size_t a = 0; a < size_; ++a)
      for (std::size_t b = 0; b < size_; ++b)
        for (std::size_t c = 0; (*this)(a, b) && c < size_; ++c)
          if (other(b, c)) result.add(a, c);
    return result;
  }
  Relation closure() const {
    Relation result = *this;
    for (std::size_t b = 0; b < size_; ++b)
      for (std::size_t a = 0; a < size_; ++a)
        for (std::size_t c = 0; result(a, b) && c < size_; ++c)
          if (result(b, c)) result.add(a, c);
    return result;
  }
  Relation optional() const {
    Relation result = *this;
    for (std::size_t a = 0; a < size_; ++a) result.add(a, a);
    return result;
  }
  bool is_irreflexive() const {
    for (std::size_t a = 0; a < size_; ++a)
      if ((*this)(a, a)) return false;
    return true;
  }
  bool is_acyclic() const { return closure().is_irreflexive(); }

 private:
  std::size_t size_;
  std::vector<char> cells_;
};

struct Execution {
  std::vector<Node> nodes;              // in the order in which they were added, initial writes first
  std::vector<std::vector<int>> order;  // of each location's writes, the initial one first

  template <class F>
  Relation pairs(F holds) const {
    Relation result(nodes.size());
    for (std::size_t a = 0; a < nodes.size(); ++a)
      for (std::size_t b = 0; b < nodes.size(); ++b)
        if (holds(a, b)) result.add(a, b);
    return result;
  }
  template <class F>
  Relation identity(F holds) const {
    return pairs([&](std::size_t a, std::size_t b) { return a == b && holds(nodes[a]); });
  }
  int place(std::size_t write) const {
    const auto& of = order[static_cast<std::size_t>(nodes[write].location)];
    return static_cast<int>(std::find(of.begin(), of.end(), static_cast<int>(write)) - of.begin());
  }
};

bool is_consistent(const Execution& x, Model model) {
  const auto& n = x.nodes;
  const auto source = [&](std::size_t read) { return static_cast<std::size_t>(n[read].source); };
  const Relation po = x.pairs([&](auto a, auto b) {
    return a < b && (n[a].thread == -1 ? n[b].thread != -1 : n[a].thread == n[b].thread);
  });
  const Relation rf = x.pairs([&](auto a, auto b) { return n[b].reads && source(b) == a; });
  const Relation mo = x.pairs([&](auto a, auto b) {
    return n[a].writes && n[b].writes && n[a].location == n[b].location && x.place(a) < x.place(b);
  });
  const Relation rb = x.pairs([&](auto a, auto b) { return n[a].reads && mo(source(a), b); });
  const Relation rmw = x.pairs([&](auto a, auto b) { return n[b].update == static_cast<int>(a); });
  const Relation between = rb.then(mo);
  for (std::size_t a = 0; a < n.size(); ++a)
    for (std::size_t b = 0; b < n.size(); ++b)
      if (rmw(a, b) && between(a, b)) return false;
  if (model == Model::kSequential) return (po | rf | mo | rb).is_acyclic();
  const Relation w = x.identity([](const Node& e) { return e.writes; });
  const Relation f = x.identity([](const Node& e) { return e.fence; });
  const Relation r = x.identity([](const Node& e) { return e.reads; });
  const Relation rel = x.identity([](const Node& e) { return e.order >= 3; });
  const Relation acq = x.identity([](const Node& e) { return e.order == 2 || e.order >= 4; });
  const Relation sc = x.identity([](const Node& e) { return e.order == 5; });
  const Relation fsc = x.identity([](const Node& e) { return e.fence && e.order == 5; });
  const Relation rs = w.then(rf.then(rmw).closure().optional());
  const Relation sw =
      rel.then(f.then(po).optional()).then(rs).then(rf).then(r).then(po.then(f).optional()).then(acq);
  const Relation hb = (po | sw).closure();
  const Relation eco = (rf | mo | rb).closure();
  if (!hb.then(eco.optional()).is_irreflexive() || !(po | rf).is_acyclic()) return false;
  const Relation elsewhere =
      x.pairs([&](auto a, auto b) { return po(a, b) && n[a].location != n[b].location; });
  const Relation same = x.pairs(
      [&](auto a, auto b) { return hb(a, b) && n[a].location >= 0 && n[a].location == n[b].location; });
  const Relation scb = po | elsewhere.then(hb).then(elsewhere) | same | mo | rb;
  const Relation base = (sc | fsc.then(hb.optional())).then(scb).then(sc | hb.optional().then(fsc));
  const Relation fences = fsc.then(hb | hb.then(eco).then(hb)).then(fsc);
  return (base | fences).is_acyclic();
}

class BruteForce {
 public:
  BruteForce(const LitmusProgram& program, Model model) : program_(program), model_(model) {}

  Behaviours explore() {
    Execution start;
    for (std::size_t i = 0; i < program_.locations.size(); ++i) {
      start.nodes.push_back({.location = static_cast<int>(i), .writes = true, .value = program_.initial[i]});
      start.order.push_back({static_cast<int>(i)});
    }
    extend(start);
    return result_;
  }

 private:
  struct Pending {};  // thrown where the code of a thread comes to what was not done yet

  // What the thread does next; false: it has ended. Runs its code along the nodes that are there.
  bool next(const Execution& x, int thread, Instruction& next, std::int64_t& value, std::int64_t& expected,
            std::map<std::string, std::int64_t>& registers) const {
    std::size_t at = 0;
    try {
      run_code(program_.threads[static_cast<std::size_t>(thread)], registers,
               [&](const Instruction& instruction, std::int64_t given, std::int64_t wanted) {
                 while (at < x.nodes.size() && (x.nodes[at].thread != thread || x.nodes[at].update >= 0))
                   ++at;
                 if (at == x.nodes.size()) {
                   next = instruction;
                   value = given;
                   expected = wanted;
                   throw Pending{};
                 }
                 return x.nodes[at++].value;
               });
    } catch (Pending) {
      return true;
    }
    return false;
  }

  void extend(const Execution& x) {
    if (!seen_.insert(text(x)).second) return;
    bool over = true;
    LitmusOutcome outcome;
    for (int thread = 0; thread < static_cast<int>(program_.threads.size()); ++thread) {
      Instruction instruction;
      std::int64_t value = 0;
      std::int64_t expected = 0;
      std::map<std::string, std::int64_t> registers;
      if (next(x, thread, instruction, value, expected, registers)) {
        over = false;
        add(x, thread, instruction, value, expected);
      }
      for (const auto& [name, held] : registers) outcome[std::to_string(thread) + ":" + name] = held;
    }
    if (!over || !is_consistent(x, model_)) return;
    for (std::size_t i = 0; i < program_.locations.size(); ++i)
      outcome[program_.locations[i]] = x.nodes[static_cast<std::size_t>(x.order[i].back())].value;
    ++result_.executions;
    result_.outcomes.insert(outcome);
  }

  void add(const Execution& x, int thread, const Instruction& instruction, std::int64_t value,
           std::int64_t expected) {
    if (instruction.kind == Kind::kFence) {
      Execution more = x;
      more.nodes.push_back({.thread = thread, .fence = true, .order = instruction.order});
      return extend(more);
    }
    if (instruction.kind == Kind::kStore)
      return place(x, {.thread = thread,
                       .location = instruction.location,
                       .writes = true,
                       .order = instruction.order,
                       .value = value});
    for (const int source : x.order[static_cast<std::size_t>(instruction.location)]) {
      Node read{
          .thread = thread, .location = instruction.location, .reads = true, .order = instruction.order};
      read.source = source;
      read.value = x.nodes[static_cast<std::size_t>(source)].value;
      const bool updates = instruction.kind != Kind::kLoad &&
                           (instruction.kind != Kind::kCompareExchange || read.value == expected);
      if (instruction.kind == Kind::kCompareExchange && !updates) read.order = instruction.failure_order;
      if (updates) read.order = half_order(instruction.order, true);
      Execution more = x;
      more.nodes.push_back(read);
      if (!updates) {
        extend(more);
        continue;
      }
      const std::int64_t left = instruction.kind == Kind::kAdd ? read.value + value : value;
      place(more, {.thread = thread,
                   .location = instruction.location,
                   .writes = true,
                   .order = half_order(instruction.order, false),
                   .value = left,
                   .update = static_cast<int>(more.nodes.size()) - 1});
    }
  }

  static std::uint8_t half_order(std::uint8_t order, bool read) {
    if (order == 5 || order == 0) return order;
    if (read) return order == 3 ? 0 : 2;
    return order == 2 ? 0 : 3;
  }

  void place(const Execution& x, const Node& write) {
    const auto location = static_cast<std::size_t>(write.location);
    for (std::size_t at = 1; at <= x.order[location].size(); ++at) {
      Execution more = x;
      more.order[location].insert(more.order[location].begin() + static_cast<std::ptrdiff_t>(at),
                                  static_cast<int>(more.nodes.size()));
      more.nodes.push_back(write);
      extend(more);
    }
  }

  // The same for executions that differ only in the order in which their events were added.
  std::string text(const Execution& x) const {
    std::vector<std::string> names(x.nodes.size());
    std::vector<int> counts(program_.threads.size());
    for (std::size_t i = 0; i < x.nodes.size(); ++i) {
      const int thread = x.nodes[i].thread;
      names[i] = thread < 0 ? "i" + std::to_string(i)
                            : std::to_string(thread) + "." +
                                  std::to_string(counts[static_cast<std::size_t>(thread)]++);
    }
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < x.nodes.size(); ++i)
      lines.push_back(names[i] +
                      (x.nodes[i].reads ? "<" + names[static_cast<std::size_t>(x.nodes[i].source)] : ""));
    std::sort(lines.begin(), lines.end());
    std::string all;
    for (const std::string& line : lines) all += line + ' ';
    for (const auto& of : x.order) {
      all += '/';
      for (const int write : of) all += names[static_cast<std::size_t>(write)] + ' ';
    }
    return all;
  }

  const LitmusProgram& program_;
  Model model_;
  Behaviours result_;
  std::set<std::string> seen_;
};

}  // namespace

Behaviours explore_by_definition(const LitmusProgram& program, Model model) {
  return BruteForce(program, model).explore();
}

}  // namespace plumb_tests
