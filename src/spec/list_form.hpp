// What operations do to a list with two ends: of a deque, of a stack, whose top is in front, and of the queues and deques of
// java.util.concurrent, bounded ones too, as far as they go by the ends and by how many elements there are. Who knows this need not ask the model what the list
// holds.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "spec/bind.hpp"
#include "spec/java_classes.hpp"

namespace plumb {

struct ListStep {
  enum class Kind : std::uint8_t {
    kPush,     // `value` goes in; never where the list is full
    kPop,      // `value` comes out
    kPopAny,   // something does: a pending one, of which the result is not known
    kPeek,     // `value` is at this end, and stays there
    kCount,    // there are so many elements, and stay there
    kSome,     // there are some
    kNothing,  // it can be at any time, and changes nothing
  };
  static constexpr std::int64_t kNever = -1;  // a count that no list has

  Kind kind = Kind::kNothing;
  bool at_back = false;
  Value value = kNull;
  std::int64_t count = 0;
  // What it would be, had it found a value: kPop or kPeek. Anything else: what it could return is not told by these.
  Kind asks = Kind::kNothing;
  std::string_view when_empty;  // what it returns if it finds no value, as JSON; empty: it waits
};

// Reads them off the operations of one history.
class ListForm {
 public:
  enum class Order : std::uint8_t {
    kEnds,   // what goes in at an end is there
    kLeast,  // the smallest is always in front
  };
  // None: the object is no such list.
  [[nodiscard]] static std::optional<Order> order(const BoundHistory& history);

  // The history is one that has an order, and outlives the form.
  explicit ListForm(const BoundHistory& history);

  // None: it does something else, see why_not().
  [[nodiscard]] std::optional<ListStep> step(OperationId id);
  // Why the form says nothing of this history: of how the object begins, or of the last operation that was asked for.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

  [[nodiscard]] const std::vector<Value>& initial() const { return initial_; }
  [[nodiscard]] std::int64_t capacity() const { return capacity_; }
  [[nodiscard]] bool is_bounded() const { return capacity_ < kUnbounded; }

 private:
  static constexpr std::int64_t kUnbounded = std::numeric_limits<std::int32_t>::max();  // as Java has it

  void begin_java();
  [[nodiscard]] ListStep family_step(OperationId id) const;
  std::optional<ListStep> java_step(OperationId id);
  std::optional<ListStep> push(JavaMethod method, Value element, std::optional<Value> result);
  [[nodiscard]] ListStep pop(JavaMethod method, std::optional<Value> result) const;
  [[nodiscard]] ListStep peek(JavaMethod method, Value result) const;
  [[nodiscard]] ListStep count(JavaMethod method, Value result) const;
  [[nodiscard]] bool is_text(Value value, std::string_view text) const;
  std::optional<Value> recorded(OperationId id);
  std::nullopt_t refuse(std::string why) {
    why_not_ = std::move(why);
    return std::nullopt;
  }

  const BoundHistory& history_;
  std::vector<JavaMethod> methods_;  // by the model's operation; empty: it is a deque or a stack
  std::vector<Value> initial_;
  std::int64_t capacity_ = kUnbounded;
  bool has_capacity_ = false;           // what is free can be asked for
  bool begins_with_exception_ = false;  // what a look at it returns would be ambiguous
  std::string why_not_;
};

}  // namespace plumb
