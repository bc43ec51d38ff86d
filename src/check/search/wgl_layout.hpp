// A part, laid out for the search: operations numbered by call, returns in order, each operation in a slot.
//
// A slot is handed on when its operation returns, so there are as many as operations are ever open together.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/part.hpp"

namespace plumb {

inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

[[nodiscard]] bool is_same_call(const Call& a, const Call& b, bool by_process);

struct Layout {
  // Pending operations that never change the state are left out, unless they are of a kind that is `kept`: by number of
  // the model's operation; empty: none.
  explicit Layout(const Part& part, const std::vector<bool>& kept = {});

  struct Operation {
    OperationId id;
    std::uint32_t slot;  // of a pending operation: its number among the pending ones
    bool leaves_state;
    Effect effect;
    bool overwrites;  // changes the state otherwise than by extending it
    Call call;
    std::optional<Value> result;
  };
  std::vector<Operation> operations;
  std::vector<std::uint32_t> returning;      // by return: the operation
  std::vector<std::uint32_t> position;       // by return: its place among the events
  std::vector<std::uint32_t> calls_until;    // by return: completed operations called before it, a count
  std::vector<std::uint32_t> completed;      // operations that return, by call
  std::vector<std::uint32_t> pending;        // operations that do not, by call
  std::vector<std::uint32_t> pending_until;  // by return: how many of them are called before it
  std::vector<std::uint32_t> equal_before;   // by pending number: an equal one called earlier, or kNone
  std::size_t slots = 0;
  bool by_process = false;  // it matters who calls

  // For models with operations that extend, else empty. By return, one past the end too: the first return at
  // or after it of an operation that leaves the state as it is; and how many operations that overwrite are
  // called before it.
  std::vector<std::uint32_t> next_read;
  std::vector<std::uint32_t> overwrites_until;
  std::vector<Lookahead> lookahead;  // for models that want to know, else empty: every operation

  std::uint32_t apart = kNone;  // an operation that counts as like no other: results are tried out on it

  // Of an operation that returns and may change the state: its return, and the operation with the last return
  // before it, while it is open, that does the same and has the same result; kNone: there is none.
  struct Alike {
    std::uint32_t ret = kNone;
    std::uint32_t before = kNone;
  };
  [[nodiscard]] std::vector<Alike> find_alike() const;  // by operation

 private:
  void add_call(const BoundHistory& history, OperationId id, std::uint32_t slot);
  void find_equal_pending(const Model& model);
  void find_next_reads();
  void find_foreseen();
};

}  // namespace plumb
