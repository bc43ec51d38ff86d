// Jepsen's way to put arguments and results into one `value`, and back. The one place that knows it.
//
// An invocation's value holds the arguments: nil is none, a cas has [old new], a txn one array of its steps,
// and any other value is one argument. A `key` is one more argument, the first. A completion repeats the
// value where it has nothing to add (a cas that repeats it has succeeded, an insertion that repeats it
// returns nothing) and otherwise holds the result.
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include <plumb/history.hpp>

namespace plumb {

// Functions by how they use their value.
enum class JepsenKind : std::uint8_t {
  kPlain,
  kRead,   // the value is what it saw; an invocation may carry it too, if a tool filled it in afterwards
  kVoid,   // write, push, …: returns nothing
  kCas,    // [old new]
  kTxn,    // the whole array is the argument
  kKeyed,  // put, append: key and value, returns nothing
  kKeyedAnswer,  // put_if_absent: key and value, returns something
  kGet,          // a key
};
[[nodiscard]] JepsenKind jepsen_kind(std::string_view function);

// The data of one event.
struct JepsenData {
  std::optional<Value> key;
  std::optional<Value> value;
  std::optional<Value> args;    // explicit, an array: stands above key and value
  std::optional<Value> result;  // explicit, of a completion: stands above value
};

[[nodiscard]] std::vector<Value> jepsen_arguments(JepsenKind kind, const JepsenData& invocation,
                                                  const Values& values);
[[nodiscard]] HistoryBuilder::Completed jepsen_result(JepsenKind kind, Value invoked,
                                                      const JepsenData& completion);

// The other way round. `values` is for new arrays. What the convention cannot say is said by explicit args or
// result.
[[nodiscard]] JepsenData jepsen_invocation(JepsenKind kind, std::span<const Value> args, Values& values);
[[nodiscard]] JepsenData jepsen_completion(JepsenKind kind, const JepsenData& invocation,
                                           HistoryBuilder::Completed completed);

}  // namespace plumb
