// A mutex: held by the process that acquired it, until that process releases it.
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Mutex {
  enum Operation : std::uint32_t { kAcquire, kRelease, kTryAcquire };
  using State = Value;  // the process that holds it; null: free
  static constexpr std::string_view kName = "mutex";
  static constexpr Family kFamily = Family::kMutex;
  static constexpr std::string_view kSummary = "held by one process at a time; only the holder releases it";
  static constexpr bool kDependsOnProcess = true;

  static std::vector<OperationSpec> operations() {
    return {{"acquire", {}, {}, Returns::kNothing, Effect::kMayChange, Role::kAcquire},
            {"release", {}, {}, Returns::kNothing, Effect::kMayChange, Role::kRelease},
            {"try_acquire", {}, {}, Returns::kBool, Effect::kUnlessFalse, Role::kTryAcquire}};
  }

  static Result<State> initial(const Values&, Value given) { return given; }

  static std::optional<Value> result(State holder, const Call& call, Values&) {
    switch (call.operation) {
      case kAcquire:
        return holder.is_null() ? std::optional(kNull) : std::nullopt;
      case kRelease:
        return holder == call.process ? std::optional(kNull) : std::nullopt;
      default:
        return Value::boolean(holder.is_null());
    }
  }

  static void update(State& holder, const Call& call, Values&) {
    holder = call.operation == kRelease ? kNull : call.process;
  }

  static std::string describe(State holder, const Values& values) {
    return holder.is_null() ? "free" : "held by " + values.to_json(holder);
  }
};

}  // namespace

const Model& mutex_model() {
  static const TypedModel<Mutex> model;
  return model;
}

}  // namespace plumb
