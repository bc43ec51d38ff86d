// A semaphore: permits that are taken and given back, by anyone, one or several at a time.
#include <limits>

#include <fmt/format.h>

#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Semaphore {
  enum Operation : std::uint32_t { kAcquire, kRelease, kTryAcquire };
  struct State {
    std::int64_t permits = 0;  // never negative
    friend bool operator==(State, State) = default;
    template <class H>
    friend H AbslHashValue(H h, State s) {
      return H::combine(std::move(h), s.permits);
    }
  };
  static constexpr std::string_view kName = "semaphore";
  static constexpr Family kFamily = Family::kSemaphore;
  static constexpr std::string_view kSummary = "permits; initially 1, or as many as the header gives";

  static std::vector<OperationSpec> operations() {
    return {
        {"acquire", {}, {Takes::kInteger}, Returns::kNothing, Effect::kMayChange, Role::kAcquire, 1},
        {"release", {}, {Takes::kInteger}, Returns::kNothing, Effect::kMayChange, Role::kRelease, 1},
        {"try_acquire", {}, {Takes::kInteger}, Returns::kBool, Effect::kUnlessFalse, Role::kTryAcquire, 1}};
  }

  static std::optional<std::string> validate(const Call& call, std::optional<Value>, const Values& values) {
    if (asked(call, values) >= 1) return std::nullopt;
    return fmt::format("{} permits; expected at least 1", asked(call, values));
  }

  static Result<State> initial(const Values& values, Value given) {
    if (given.is_null()) return State{1};
    if (values.kind(given) == ValueKind::kInteger && values.as_integer(given) >= 0) {
      return State{values.as_integer(given)};
    }
    return Error{fmt::format("initial value {} of a semaphore; expected the number of permits",
                             values.to_json(given))};
  }

  static std::optional<Value> result(State state, const Call& call, Values& values) {
    const std::int64_t n = asked(call, values);
    if (n < 1) return std::nullopt;
    switch (call.operation) {
      case kAcquire:
        return n <= state.permits ? std::optional(kNull) : std::nullopt;
      case kRelease:
        return n <= kMostPermits - state.permits ? std::optional(kNull) : std::nullopt;
      default:
        return Value::boolean(n <= state.permits);
    }
  }

  static void update(State& state, const Call& call, Values& values) {
    state.permits += call.operation == kRelease ? asked(call, values) : -asked(call, values);
  }

  static std::string describe(State state, const Values&) { return fmt::format("{} free", state.permits); }

 private:
  static constexpr std::int64_t kMostPermits = std::numeric_limits<std::int64_t>::max();
  static std::int64_t asked(const Call& call, const Values& values) {
    return call.args.empty() ? 1 : values.as_integer(call.args[0]);
  }
};

}  // namespace

const Model& semaphore_model() {
  static const TypedModel<Semaphore> model;
  return model;
}

}  // namespace plumb
