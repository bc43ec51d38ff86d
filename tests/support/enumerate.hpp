// All histories of a few operations: every interleaving of calls and returns, every choice of operations and
// results, operations that never return included.
//
// Which process runs an operation does not matter to the models used with this; so a call goes to the lowest
// process that is free, and histories that differ only in that are made once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <plumb/history.hpp>

#include "support/scale.hpp"
#include "support/script.hpp"

namespace plumb::test {

// When the operations of a history are called and return, without saying what they are.
struct Shape {
  struct Span {
    int process;
    Time call;
    Time ret;
  };
  std::vector<Span> operations;
};

class Shapes {
 public:
  // Every shape of exactly `operations` operations with at most `processes` open at once.
  static std::vector<Shape> all(std::size_t operations, int processes) {
    Shapes shapes(operations, processes);
    shapes.extend(0);
    return std::move(shapes.all_);
  }

 private:
  Shapes(std::size_t operations, int processes)
      : operations_(operations), busy_(static_cast<std::size_t>(processes)) {}

  void extend(Time now) {
    if (shape_.operations.size() == operations_) all_.push_back(shape_);  // what is still open stays pending
    if (shape_.operations.size() < operations_) {
      for (std::size_t p = 0; p < busy_.size(); ++p) {
        if (busy_[p]) continue;
        busy_[p] = true;
        shape_.operations.push_back({static_cast<int>(p), now, kNever});
        extend(now + 1);
        shape_.operations.pop_back();
        busy_[p] = false;
        break;
      }
    }
    for (std::size_t i = 0; i < shape_.operations.size(); ++i) {
      if (shape_.operations[i].ret != kNever) continue;
      const auto process = static_cast<std::size_t>(shape_.operations[i].process);
      shape_.operations[i].ret = now;
      busy_[process] = false;
      extend(now + 1);
      busy_[process] = true;
      shape_.operations[i].ret = kNever;
    }
  }

  std::size_t operations_;
  std::vector<bool> busy_;
  Shape shape_;
  std::vector<Shape> all_;
};

// What the operations may be: "read:null", "write(1):null", …, and what a pending one may be: "read",
// "write(1)", ….
struct Alphabet {
  std::vector<std::string> completed;
  std::vector<std::string> pending;
  // The first operation takes one of so many, where the others are the same up to renaming; 0: any.
  std::size_t first_completed = 0;
  std::size_t first_pending = 0;
  std::string initial = "null";  // how the object begins
};

class Enumeration {
 public:
  Enumeration(const Alphabet& alphabet, int processes) : processes_(processes), alphabet_(alphabet) {
    for (const std::string& text : alphabet.completed) completed_.push_back(letter(text));
    for (const std::string& text : alphabet.pending) pending_.push_back(letter(text));
    initial_ = value_of(alphabet.initial, *values_);
  }

  // Calls `visit` with every history of exactly `operations` operations, or with a fixed sample of them.
  // Returns how many there are, in the sample or not.
  std::uint64_t run(std::size_t operations, double share, const std::function<void(const History&)>& visit) {
    std::uint64_t count = 0;
    for (const Shape& shape : Shapes::all(operations, processes_)) {
      std::vector<std::size_t> choice(operations);
      do {
        if (in_sample(count++, share)) visit(build(shape, choice));
      } while (next(shape, choice));
    }
    return count;
  }

 private:
  struct Letter {
    std::string f;
    std::vector<Value> args;
    Value result;
  };

  Letter letter(const std::string& text) {
    Script script{values_, {}, kNull};
    script.add(0, text, 0, 1);
    const Op& op = script.operations.front();
    return {op.f, op.args, op.result.value_or(kNull)};
  }
  [[nodiscard]] const std::vector<Letter>& letters(const Shape::Span& span) const {
    return span.ret == kNever ? pending_ : completed_;
  }
  [[nodiscard]] std::size_t choices(const Shape& shape, std::size_t i) const {
    const std::size_t first =
        shape.operations[i].ret == kNever ? alphabet_.first_pending : alphabet_.first_completed;
    return i == 0 && first != 0 ? first : letters(shape.operations[i]).size();
  }
  bool next(const Shape& shape, std::vector<std::size_t>& choice) const {
    for (std::size_t i = 0; i < choice.size(); ++i) {
      if (++choice[i] < choices(shape, i)) return true;
      choice[i] = 0;
    }
    return false;
  }
  [[nodiscard]] History build(const Shape& shape, const std::vector<std::size_t>& choice) {
    HistoryBuilder builder(values_);
    builder.set_initial(initial_);
    for (std::size_t i = 0; i < choice.size(); ++i) {
      const Shape::Span& span = shape.operations[i];
      const Letter& what = letters(span)[choice[i]];
      builder.add(Value::small(span.process), builder.function(what.f), what.args,
                  {what.result, span.ret != kNever}, span.call, span.ret);
    }
    return std::move(builder.finish().value());
  }

  int processes_;
  Alphabet alphabet_;
  std::shared_ptr<Values> values_ = std::make_shared<Values>();
  std::vector<Letter> completed_;
  std::vector<Letter> pending_;
  Value initial_;
};

}  // namespace plumb::test
