#include "python/python_model.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "python/errors.hpp"
#include "python/values.hpp"

namespace plumb::python {

namespace py = pybind11;

namespace {

// An object of Python that may be dropped by whoever does not have the lock.
class Held {
 public:
  explicit Held(py::object object) : object_(std::move(object)) {}
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;
  ~Held() {
    const py::gil_scoped_acquire acquire;
    object_ = py::object();
  }
  [[nodiscard]] const py::object& operator*() const { return object_; }

 private:
  py::object object_;
};

struct Subject {
  Subject(std::shared_ptr<Callbacks> shared, py::object held, std::vector<OperationSpec> operations,
          bool with_process)
      : callbacks(std::move(shared)),
        object(std::move(held)),
        specs(std::move(operations)),
        depends_on_process(with_process) {}
  std::shared_ptr<Callbacks> callbacks;
  Held object;
  std::vector<OperationSpec> specs;
  bool depends_on_process;
};

class PythonStates final : public States {
 public:
  PythonStates(const Values& values, std::shared_ptr<const Subject> subject, Value initial)
      : values_(&values), subject_(std::move(subject)) {
    subject_->callbacks->call([&] {
      known_ = py::dict();
      (void)intern((*subject_->object).attr("initial")(to_python(initial, values_)));
    });
  }
  PythonStates(const PythonStates&) = delete;
  PythonStates& operator=(const PythonStates&) = delete;
  ~PythonStates() override {
    const py::gil_scoped_acquire acquire;
    objects_.clear();
    known_ = py::object();
  }

  StateId initial() override { return 0; }

  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    for (const Outcome& outcome : outcomes(from, call)) {
      if (!result || *result == outcome.result) next.push_back(outcome.after);
    }
  }

  std::vector<Value> results(StateId from, const Call& call) override {
    std::vector<Value> all;
    for (const Outcome& outcome : outcomes(from, call)) {
      if (std::ranges::find(all, outcome.result) == all.end()) all.push_back(outcome.result);
    }
    return all;
  }

  std::string describe(StateId state) const override {
    std::string text;
    subject_->callbacks->call(
        [&] { text = py::str((*subject_->object).attr("describe")(objects_.at(state))); });
    return text;
  }
  const Values& values() const override { return values_; }
  std::size_t count() const override { return objects_.size(); }
  std::size_t memory() const override {
    return objects_.size() * kState + memo_.size() * kMemo + values_.memory();
  }

 private:
  static constexpr std::size_t kState = 500;  // about what an object, its key and their places take
  static constexpr std::size_t kMemo = 150;
  static constexpr unsigned kBetweenLooks =
      1024;  // steps that called nothing, after which Ctrl-C is looked for

  struct Outcome {
    Value result;
    StateId after = 0;
  };

  const std::vector<Outcome>& outcomes(StateId from, const Call& call) {
    key_ = {from, call.operation, subject_->depends_on_process ? call.process.bits() : 0};
    for (const Value argument : call.args) key_.push_back(argument.bits());
    if (const auto known = memo_.find(key_); known != memo_.end()) {
      if (++since_look_ % kBetweenLooks == 0) look();
      return known->second;
    }
    std::vector<Outcome> made;
    subject_->callbacks->call([&] { made = run(from, call); });
    return memo_[key_] = std::move(made);
  }

  void look() {
    subject_->callbacks->call([] {
      if (PyErr_CheckSignals() != 0) throw py::error_already_set();
    });
  }

  std::vector<Outcome> run(StateId from, const Call& call) {
    const OperationSpec& spec = subject_->specs[call.operation];
    py::tuple args(call.args.size());
    for (std::size_t i = 0; i < call.args.size(); ++i) args[i] = to_python(call.args[i], values_);
    const py::object answer =
        (*subject_->object)
            .attr("step")(objects_.at(from), spec.name, args, to_python(call.process, values_));
    std::vector<Outcome> made;
    for (const py::handle each : answer) {
      const auto pair = py::reinterpret_borrow<py::tuple>(each);
      const Value result =
          spec.returns == Returns::kNothing
              ? kNull
              : to_value(pair[0], values_, fmt::format("what the model's '{}' returns", spec.name));
      const StateId after = intern(pair[1]);
      if (spec.effect == Effect::kNeverChanges && after != from)
        raise({fmt::format("the model's '{}' is said to read only, and changes the state", spec.name)});
      made.push_back({result, after});
    }
    return made;
  }

  StateId intern(const py::object& state) {
    const py::object key = (*subject_->object).attr("key")(state);
    const auto known = py::reinterpret_borrow<py::dict>(known_);
    if (PyObject* id = PyDict_GetItemWithError(known.ptr(), key.ptr()))
      return py::cast<StateId>(py::handle(id));
    if (PyErr_Occurred() != nullptr) throw py::error_already_set();
    const auto id = static_cast<StateId>(objects_.size());
    known[key] = id;
    objects_.push_back(state);
    return id;
  }

  Values values_;  // what the search makes; stands on the history's table
  std::shared_ptr<const Subject> subject_;
  std::vector<py::object> objects_;
  py::object known_;  // a dict: keys to ids
  absl::flat_hash_map<std::vector<std::uint32_t>, std::vector<Outcome>> memo_;
  std::vector<std::uint32_t> key_;
  unsigned since_look_ = 0;
};

class PythonModel final : public Model {
 public:
  PythonModel(std::string name, std::shared_ptr<const Subject> subject,
              std::optional<std::size_t> partition_by, Family family)
      : name_(std::move(name)), subject_(std::move(subject)), partition_by_(partition_by) {
    if (family != Family::kNone) claim_.emplace(family);
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return "a model in Python"; }
  std::span<const OperationSpec> operations() const override { return subject_->specs; }
  Family family() const override { return claim_ ? claim_->family() : Family::kNone; }
  const Claim* claim() const override { return claim_ ? &*claim_ : nullptr; }
  // Python takes 1 and True for equal, and has an order of its own; of numbers and texts it thinks as plumb does.
  bool is_plain(Value value, const Values& values) const override {
    const ValueKind kind = values.kind(value);
    return kind == ValueKind::kNil || kind == ValueKind::kInteger ||
           (kind == ValueKind::kString && family() != Family::kPriorityQueue);
  }
  std::optional<Value> key(const Call& call) const override {
    return partition_by_ ? std::optional(call.args[*partition_by_]) : std::nullopt;
  }
  bool is_keyed() const override { return partition_by_.has_value(); }
  bool depends_on_process() const override { return subject_->depends_on_process; }
  bool validates() const override { return false; }

  Result<std::unique_ptr<States>> states(const Values& values, Value initial) const override {
    return std::unique_ptr<States>(std::make_unique<PythonStates>(values, subject_, initial));
  }

 private:
  std::string name_;
  std::shared_ptr<const Subject> subject_;
  std::optional<std::size_t> partition_by_;
  std::optional<Claim> claim_;
};

Family family_by_name(std::string name) {
  std::ranges::replace(name, '-', ' ');
  if (name.empty()) return Family::kNone;
  std::string known;
  const std::string_view none = to_string(Family::kNone);  // also what there is behind the last one
  for (auto i = static_cast<int>(Family::kNone) + 1; to_string(static_cast<Family>(i)) != none; ++i) {
    const auto family = static_cast<Family>(i);
    if (to_string(family) == name) return family;
    known += (known.empty() ? "" : ", ") + std::string(to_string(family));
  }
  raise({fmt::format("there is no family '{}'; expected one of {}", name, known)});
}

OperationSpec spec_of(const PythonOperation& operation, std::optional<std::size_t> partition_by) {
  const auto& [name, least, most, returns_nothing, reads] = operation;
  if (partition_by && least <= *partition_by) {
    raise({fmt::format("operation '{}' has no argument {} to partition by (counted from 0)", name,
                       *partition_by)});
  }
  return {.name = name,
          .takes = std::vector(most, Takes::kAny),
          .returns = returns_nothing ? Returns::kNothing : Returns::kAny,
          .effect = reads ? Effect::kNeverChanges : Effect::kMayChange,
          .optional = most - least};
}

}  // namespace

void Callbacks::run(const Work& work) {
  std::exception_ptr failure;
  {
    const py::gil_scoped_release release;
    const std::scoped_lock lock(mutex_);
    stop_ = false;
    work(stop_);
    failure = std::exchange(failure_, nullptr);
  }
  if (failure) std::rethrow_exception(failure);
}

HeldModel make_python_model(const std::string& name, const std::vector<PythonOperation>& operations,
                            const py::object& subject, std::optional<std::size_t> partition_by,
                            const std::string& family, bool depends_on_process) {
  std::vector<OperationSpec> specs;
  specs.reserve(operations.size());
  for (const PythonOperation& operation : operations) specs.push_back(spec_of(operation, partition_by));
  const auto callbacks = std::make_shared<Callbacks>();
  auto shared = std::make_shared<const Subject>(callbacks, subject, std::move(specs), depends_on_process);
  return {
      .model = std::make_shared<PythonModel>(name, std::move(shared), partition_by, family_by_name(family)),
      .callbacks = callbacks};
}

std::vector<std::tuple<std::string, std::size_t, std::size_t, bool>> shapes_of(const HeldHistory& held) {
  const History& history = *held.history;
  std::vector<std::tuple<std::string, std::size_t, std::size_t, bool>> shapes;
  for (const std::string& name : history.functions()) shapes.emplace_back(name, ~std::size_t{0}, 0, false);
  std::vector<bool> has_result(shapes.size());
  for (OperationId i = 0; i < history.size(); ++i) {
    auto& [name, least, most, without] = shapes[history.function(i)];
    least = std::min(least, history.args(i).size());
    most = std::max(most, history.args(i).size());
    if (history.is_pending(i)) continue;
    if (history.has_result(i)) has_result[history.function(i)] = true;
    without = !has_result[history.function(i)];
  }
  return shapes;
}

}  // namespace plumb::python
