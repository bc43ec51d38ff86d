// A register: one value, read, written, compared and swapped.
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Register {
  enum Operation : std::uint32_t { kRead, kWrite, kCas };
  using State = Value;
  static constexpr std::string_view kName = "register";
  static constexpr Family kFamily = Family::kRegister;
  static constexpr std::string_view kSummary = "one value; initially null, or what the header gives";

  static std::vector<OperationSpec> operations() {
    return {
        {"read", {}, {}, Returns::kAny, Effect::kNeverChanges, Role::kRead},
        {"write", {}, {Takes::kAny}, Returns::kNothing, Effect::kMayChange, Role::kWrite},
        {"cas", {}, {Takes::kAny, Takes::kAny}, Returns::kBool, Effect::kUnlessFalse, Role::kCompareAndSwap}};
  }

  static Result<State> initial(const Values&, Value given) { return given; }

  static std::optional<Value> result(State value, const Call& call, Values&) {
    switch (call.operation) {
      case kRead:
        return value;
      case kCas:
        return Value::boolean(value == call.args[0]);
      default:
        return kNull;
    }
  }

  static void update(State& value, const Call& call, Values&) {
    value = call.operation == kCas ? call.args[1] : call.args[0];
  }

  static std::string describe(State value, const Values& values) { return values.to_json(value); }
};

}  // namespace

const Model& register_model() {
  static const TypedModel<Register> model;
  return model;
}

}  // namespace plumb
