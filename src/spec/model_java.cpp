// The models java:…, one for each row of the table of classes.
#include <memory>
#include <optional>

#include "spec/java_object.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class JavaModel final : public Model {
 public:
  explicit JavaModel(const JavaClass& type) : type_(type), methods_(java_operations(type)) {
    for (const JavaOperation& method : methods_) operations_.push_back(method.spec);
    if (type.family != Family::kNone) claim_.emplace(type.family);
  }

  std::string_view name() const override { return type_.name; }
  std::string_view summary() const override { return type_.summary; }
  std::span<const OperationSpec> operations() const override { return operations_; }
  Family family() const override { return type_.family; }
  const Claim* claim() const override { return claim_ ? &*claim_ : nullptr; }
  // Java orders texts in its own way, and a text may be how another value was recorded.
  bool is_plain(Value value, const Values& values) const override {
    return value.is_null() || values.kind(value) == ValueKind::kInteger;
  }
  // size and its like see all keys at once.
  std::optional<Value> key(const Call&) const override { return std::nullopt; }
  bool is_keyed() const override { return false; }
  bool depends_on_process() const override { return false; }

  std::optional<std::string> validate(const Call& call, std::optional<Value>,
                                      const Values& values) const override {
    return JavaObject::validate(operations_[call.operation], call.args, values);
  }

  Result<std::unique_ptr<States>> states(const Values& values, Value initial) const override {
    auto states = std::make_unique<TypedStates<JavaObject>>(values, operations_, JavaObject(type_, methods_));
    if (auto status = states->start(initial); !status) return status.error();
    return std::unique_ptr<States>(std::move(states));
  }

 private:
  const JavaClass& type_;
  std::vector<JavaOperation> methods_;
  std::vector<OperationSpec> operations_;
  std::optional<Claim> claim_;
};

}  // namespace

std::span<const std::unique_ptr<const Model>> java_models() {
  static const auto models = [] {
    std::vector<std::unique_ptr<const Model>> all;
    for (const JavaClass& type : java_classes()) all.push_back(std::make_unique<JavaModel>(type));
    return all;
  }();
  return models;
}

}  // namespace plumb
