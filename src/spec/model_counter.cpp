// A counter: a number that is added to and read. Sums wrap around at 64 bits.
#include <fmt/format.h>

#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Counter {
  enum Operation : std::uint32_t { kAdd, kFetchAdd, kRead };
  using State = Value;  // always an integer
  static constexpr std::string_view kName = "counter";
  static constexpr Family kFamily = Family::kCounter;
  static constexpr std::string_view kSummary = "a number; initially 0, or what the header gives";

  static std::vector<OperationSpec> operations() {
    return {{"add", {}, {Takes::kInteger}, Returns::kNothing, Effect::kMayChange, Role::kAdd},
            {"fetch_add", {}, {Takes::kInteger}, Returns::kInteger, Effect::kMayChange, Role::kFetchAdd},
            {"read", {}, {}, Returns::kInteger, Effect::kNeverChanges, Role::kRead}};
  }

  static Result<State> initial(const Values& values, Value given) {
    if (given.is_null()) return Value::small(0);
    if (values.kind(given) == ValueKind::kInteger) return given;
    return Error{fmt::format("initial value {} of a counter; expected an integer", values.to_json(given))};
  }

  static std::optional<Value> result(State count, const Call& call, Values&) {
    return call.operation == kAdd ? kNull : count;
  }

  static void update(State& count, const Call& call, Values& values) {
    const auto sum = static_cast<std::uint64_t>(values.as_integer(count)) +
                     static_cast<std::uint64_t>(values.as_integer(call.args[0]));
    count = values.integer(static_cast<std::int64_t>(sum));
  }

  static std::string describe(State count, const Values& values) { return values.to_json(count); }
};

}  // namespace

const Model& counter_model() {
  static const TypedModel<Counter> model;
  return model;
}

}  // namespace plumb
