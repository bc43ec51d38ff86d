// One sentence about a core, for a colleague.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "explain/core.hpp"

namespace plumb {

// A sentence, or a part of one, and the operations that it names.
struct Sentence {
  std::string text;
  std::vector<OperationId> named = {};
};

// `stuck` is what the core alone allowed at the impossible return. All that is named is in the core.
[[nodiscard]] Sentence narrate(const BoundHistory& history, const Core& core, const DeadEnd& stuck);

// An operation as a sentence needs it. Moments are positions of events in the whole history.
struct Fact {
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();
  OperationId id = 0;
  Role role = Role::kNone;  // in the family of its model
  std::size_t call = 0;
  std::size_t ret = kNever;
  std::optional<Value> result;  // none: it never returned
  bool in_core = false;         // it is shown, and may be named
  [[nodiscard]] bool before(const Fact& other) const { return ret < other.call; }
  [[nodiscard]] bool failed() const { return result && *result == kFalse; }
};

// What the impossible operation, and all of its part that was called before it returned, have to do with each other. What
// is said from this is true of the whole history, not only of the core; named is only who is in the core.
class Facts {
 public:
  // Without a core, everybody may be named.
  Facts(const BoundHistory& history, OperationId impossible, std::span<const OperationId> core = {});

  [[nodiscard]] const BoundHistory& bound() const { return history_; }
  [[nodiscard]] const Fact& impossible() const { return impossible_; }
  [[nodiscard]] const std::vector<Fact>& others() const { return others_; }  // by call
  [[nodiscard]] const std::vector<Fact>& later() const { return later_; }    // called when it had returned
  [[nodiscard]] Value last_argument(const Fact& fact) const {
    return history_.history().args(fact.id).back();
  }
  [[nodiscard]] Value process(const Fact& fact) const { return history_.history().process(fact.id); }

  [[nodiscard]] const Fact& fact(OperationId id) const;  // of `others`

  // As text: a value (a long one cut), "process 3", "`write(4)` by process 3".
  [[nodiscard]] std::string text(Value value) const;
  [[nodiscard]] std::string by(const Fact& fact) const;
  [[nodiscard]] std::string name(const Fact& fact) const;

 private:
  const BoundHistory& history_;
  Fact impossible_;
  std::vector<Fact> others_;
  std::vector<Fact> later_;
};

// What is wrong, in the terms of the model; none where no known pattern holds. A pattern holds for no operation of a
// linearizable history.
[[nodiscard]] std::optional<Sentence> tell(const Facts& facts);

// The same for one kind of object.
[[nodiscard]] std::optional<Sentence> tell_collection(
    const Facts& facts);                                              // queue, stack, deque, priority queue
[[nodiscard]] std::optional<Sentence> tell_cell(const Facts& facts);  // register, map
[[nodiscard]] std::optional<Sentence> tell_set(const Facts& facts);
[[nodiscard]] std::optional<Sentence> tell_mutex(const Facts& facts);
[[nodiscard]] std::optional<Sentence> tell_counter(const Facts& facts);
[[nodiscard]] std::optional<Sentence> tell_kv_append(const Facts& facts);

}  // namespace plumb
