// Random small histories of collections that are nearly in order: what comes out is one of the first few.
#pragma once

#include <string>
#include <vector>

#include "base/rng.hpp"
#include "support/script.hpp"

namespace plumb::test {

struct QuasiShape {
  std::string model = "queue";
  std::size_t operations = 6;
  std::size_t processes = 3;
  std::size_t reach = 3;     // how far from the first what comes out may be
  std::size_t values = 100;  // fewer than operations: some go in twice
  double crash = 0;
  double lie = 0.1;  // a removal returns anything
};

class QuasiHistory {
 public:
  QuasiHistory(const QuasiShape& shape, std::uint64_t seed) : shape_(shape), rng_(seed) {}

  Script make() {
    std::vector<int> running(shape_.processes, -1);
    std::vector<bool> crashed(shape_.processes);
    Time now = 0;
    for (std::size_t step = 0; step < 12 * shape_.operations; ++step) {
      const std::size_t p = rng_.below(shape_.processes);
      if (crashed[p]) continue;
      if (running[p] < 0) {
        if (script_.operations.size() == shape_.operations) continue;
        running[p] = static_cast<int>(script_.operations.size());
        begin(static_cast<int>(p), now++);
      } else if (rng_.chance(shape_.crash)) {
        crashed[p] = true;
        if (rng_.chance(0.5)) effect(script_.operations[static_cast<std::size_t>(running[p])]);
        script_.operations[static_cast<std::size_t>(running[p])].result.reset();
      } else {
        Op& op = script_.operations[static_cast<std::size_t>(running[p])];
        effect(op);
        op.ret = now++;
        running[p] = -1;
      }
    }
    for (Op& op : script_.operations) {
      if (op.is_pending()) op.result.reset();
    }
    return std::move(script_);
  }

 private:
  [[nodiscard]] std::string name(bool inserts) const {
    if (shape_.model == "queue") return inserts ? "enqueue" : "dequeue";
    if (shape_.model == "stack") return inserts ? "push" : "pop";
    return inserts ? "insert" : "extract_min";
  }

  void begin(int process, Time now) {
    const bool inserts = rng_.chance(0.5);
    script_.add(process, name(inserts), now, kNever);
    if (!inserts) return;
    const std::size_t value = next_ < shape_.values ? next_++ : rng_.below(shape_.values);
    script_.operations.back().args = {
        Value::small(static_cast<std::int64_t>(shape_.model == "priority-queue" ? value * 7 % 11 : value))};
  }

  void effect(Op& op) {
    if (!op.args.empty()) {
      inside_.push_back(op.args[0]);
      op.result = kNull;
      return;
    }
    if (rng_.chance(shape_.lie)) {
      op.result = rng_.chance(0.3) ? kNull : Value::small(static_cast<std::int64_t>(rng_.below(6)));
      return;
    }
    op.result = kNull;
    if (inside_.empty()) return;
    if (shape_.model == "priority-queue") {
      std::ranges::sort(inside_, {}, [](Value v) { return v.small_integer(); });
    }
    const std::size_t depth = rng_.below(std::min(inside_.size(), shape_.reach + 1));
    const std::size_t at = shape_.model == "stack" ? inside_.size() - 1 - depth : depth;
    op.result = inside_[at];
    inside_.erase(inside_.begin() + static_cast<std::ptrdiff_t>(at));
  }

  QuasiShape shape_;
  Rng rng_;
  Script script_;
  std::vector<Value> inside_;
  std::size_t next_ = 0;
};

}  // namespace plumb::test
