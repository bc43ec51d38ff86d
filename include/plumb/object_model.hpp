// A model of your own: a plain C++ class with one method per operation.
//
//   struct Account {
//     long balance = 0;
//     void deposit(long n) { balance += n; }
//     bool withdraw(long n) { … }
//     long read() const { return balance; }
//     bool operator==(const Account&) const = default;
//   };
//   plumb::ObjectModel<Account> model("account");
//   model.operation("deposit", &Account::deposit);
//   model.operation("withdraw", &Account::withdraw).reads_when_false();
//   model.operation("read", &Account::read);
//   auto verdict = plumb::check(history, model);
//
// A class that behaves like a queue, a stack, a set and so on can say so: model.behaves_as(plumb::Family::kQueue).
//
// The types of arguments and results come from the signatures (see convert.hpp); a history that does not fit
// them is an input error. What a search asks of the class, == and a hash, is in state.hpp. Registering
// something that makes no sense throws std::invalid_argument.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

#include <plumb/convert.hpp>
#include <plumb/detail/object_operation.hpp>
#include <plumb/detail/object_states.hpp>
#include <plumb/detail/signature.hpp>
#include <plumb/model.hpp>
#include <plumb/state.hpp>

namespace plumb {

// A nondeterministic step: every possible result, each with the object as it is afterwards.
// Return it from a const method: `Choices<std::optional<int>, Bag> take() const`.
template <class R, class T>
class Choices {
 public:
  void add(R result, T after) { all_.emplace_back(std::move(result), std::move(after)); }
  auto begin() { return all_.begin(); }
  auto end() { return all_.end(); }

 private:
  std::vector<std::pair<R, T>> all_;
};

// The calling process. A method that takes one first receives it; it is not an argument of the operation.
struct Process {
  Value id;
  friend bool operator==(Process, Process) = default;
  [[nodiscard]] std::size_t hash() const { return std::hash<Value>()(id); }
};

template <class T>
class ObjectModel final : public Model {  // many threads may use one, once it is defined
  static_assert(std::is_copy_constructible_v<T>,
                "plumb: a model is copied for every state: its class must be copyable");
  static_assert(
      state::Comparable<T>,
      "plumb: states must be comparable: give the class `bool operator==(const T&) const = default;`");
  static_assert(
      state::Hashable<T>,
      "plumb: a state must have a hash: give its class `auto fields() const { return std::tie(…); }` or "
      "`std::size_t hash() const`");

 public:
  explicit ObjectModel(std::string name, std::string summary = "a model of your own")
      : name_(std::move(name)), summary_(std::move(summary)) {}

  // Further properties of an operation.
  class Registered {
   public:
    // Its role in the family that the model claims, where its name does not say it.
    Registered& role(Role role) {
      model_->test_again();
      spec().role = role;
      return *this;
    }
    // That family has no such operation. A history that calls it is judged by the class alone.
    Registered& outside_family() { return role(Role::kOutside); }
    // It never changes the state. This is assumed of const methods anyway.
    Registered& reads() { return effect(Effect::kNeverChanges); }
    // It does not when it returns false: a compare-and-swap that fails.
    Registered& reads_when_false() {
      require(operation().returns == Returns::kBool, "returns no bool, so it cannot read when false");
      return effect(Effect::kUnlessFalse);
    }
    // It does not when it returns null (an empty std::optional): a pop from nothing.
    Registered& reads_when_null() {
      require(operation().returns == Returns::kAny,
              "returns nothing that can be null, so it cannot read when null");
      return effect(Effect::kUnlessNull);
    }
    // An exception is a result: the text of what(). Otherwise it means that the operation cannot happen in
    // that state, as the acquire of a lock that is held.
    Registered& throws() {
      operation().throws = true;
      spec().returns = Returns::kAny;
      return *this;
    }
    Registered& alias(std::string name) {
      model_->require_new(name);
      spec().aliases.push_back(std::move(name));
      return *this;
    }

   private:
    friend class ObjectModel;
    Registered(ObjectModel* model, std::size_t index) : model_(model), index_(index) {}
    OperationSpec& spec() { return model_->specs_[index_]; }
    object::Operation<T>& operation() { return model_->operations_[index_]; }
    Registered& effect(Effect effect) {
      spec().effect = effect;
      return *this;
    }
    void require(bool condition, const std::string& otherwise) {
      if (!condition) throw std::invalid_argument("operation '" + spec().name + "' " + otherwise);
    }
    ObjectModel* model_;
    std::size_t index_;
  };

  // `method` is a method of T, or anything that is called with a T& (a const T& if it only reads) and the
  // arguments. The last arguments may be left out where they are std::optional.
  template <class F>
  Registered operation(std::string name, F method) {
    require_new(name);
    test_again();
    using Shape = object::Shape<F>;
    add<typename Shape::Result, Shape::kReads>(std::move(name), std::move(method),
                                               typename Shape::Arguments());
    if (partition_) require_key(specs_.back());
    return Registered(this, specs_.size() - 1);
  }

  // Operations with different values of that argument (0: the first) do not affect each other, and are
  // checked apart.
  ObjectModel& partition_by(std::size_t argument) {
    partition_ = argument;
    for (const OperationSpec& spec : specs_) require_key(spec);
    return *this;
  }

  // The class does what all members of that family do: it is checked by their monitors, explained and certified like them. The
  // claim is tested against the class once, before it is believed; a wrong claim is an error in every check. Operations have
  // the role that their names imply (push, enqueue, offer: an insertion), or that Registered::role gives them.
  ObjectModel& behaves_as(Family family) {
    claim_ = std::make_shared<const Claim>(family);
    return *this;
  }

  ObjectModel& initial(T first) {
    test_again();
    initial_ = std::move(first);
    return *this;
  }
  // How the "initial" of a history's header becomes a T: anything that is called with what converts from a
  // value.
  template <class F>
  ObjectModel& from_value(F make) {
    read_initial(std::move(make), typename object::Callable<F>::Arguments());
    return *this;
  }

  std::string_view name() const override { return name_; }
  std::string_view summary() const override { return summary_; }
  std::span<const OperationSpec> operations() const override { return specs_; }
  Family family() const override { return claim_ ? claim_->family() : Family::kNone; }
  const Claim* claim() const override { return claim_.get(); }
  std::optional<Value> key(const Call& call) const override {
    return partition_ ? std::optional(call.args[*partition_]) : std::nullopt;
  }
  bool is_keyed() const override { return partition_.has_value(); }
  bool depends_on_process() const override { return depends_on_process_; }

  std::optional<std::string> validate(const Call& call, std::optional<Value> result,
                                      const Values& values) const override {
    const object::Operation<T>& operation = operations_[call.operation];
    if (auto wrong = operation.wrong_arguments(call, values)) return wrong;
    if (!result || (operation.throws && values.kind(*result) == ValueKind::kString)) return std::nullopt;
    return operation.wrong_result(*result, values);
  }

  Result<std::unique_ptr<States>> states(const Values& values, Value given) const override {
    std::optional<T> first = initial_;
    if (!given.is_null()) {
      if (!from_value_) return Error{"the model '" + name_ + "' takes no initial value"};
      first = from_value_(given, values);
      if (!first) {
        return Error{"initial value " + values.to_json(given) + " of '" + name_ + "'; expected " +
                     expected_initial_};
      }
    }
    if (!first) return Error{"the model '" + name_ + "' needs an initial value"};
    return std::unique_ptr<States>(
        std::make_unique<object::States<T>>(values, specs_, std::span(operations_), std::move(*first)));
  }

 private:
  // What was tested, here or in a copy, is no longer what is claimed.
  void test_again() {
    if (claim_) claim_ = std::make_shared<const Claim>(claim_->family());
  }

  static std::optional<T> default_initial() {
    if constexpr (std::is_default_constructible_v<T>) {
      return T();
    } else {
      return std::nullopt;
    }
  }

  template <class R, bool kReads, class F, class... As>
  void add(std::string name, F method, object::List<Process, As...>) {
    depends_on_process_ = true;
    add_bound<R, kReads, As...>(std::move(name),
                                [method](auto& object, const Call& call, auto&... args) -> R {
                                  return object::invoke<R>(method, object, Process{call.process}, args...);
                                });
  }
  template <class R, bool kReads, class F, class... As>
  void add(std::string name, F method, object::List<As...>) {
    add_bound<R, kReads, As...>(std::move(name), [method](auto& object, const Call&, auto&... args) -> R {
      return object::invoke<R>(method, object, args...);
    });
  }

  template <class R, bool kReads, class... As, class F>
  void add_bound(std::string name, F method) {
    using Returned = object::Returned<R, T>;
    using Result = typename Returned::Type;
    static_assert((Convertible<As> && ...), "plumb: an argument is of a type without a plumb::Convert");
    static_assert(Convertible<Result>, "plumb: the result is of a type without a plumb::Convert");
    specs_.push_back({std::move(name),
                      {},
                      {Convert<As>::kTakes...},
                      Convert<Result>::kReturns,
                      kReads && !Returned::kChoices ? Effect::kNeverChanges : Effect::kMayChange,
                      Role::kNone,
                      object::trailing_optionals<As...>()});
    operations_.push_back(object::make_operation<T, R, kReads, As...>(std::move(method)));
  }

  template <class F, class Lambda, class A>
  void read_initial(F make, object::List<Lambda, A>) {
    using Given = std::decay_t<A>;
    expected_initial_ = Convert<Given>::expected();
    from_value_ = [make](Value v, const Values& values) -> std::optional<T> {
      auto given = Convert<Given>::from(v, values);
      if (!given) return std::nullopt;
      return make(std::move(*given));
    };
  }
  template <class F, class A>
  void read_initial(F make, object::List<A>) {
    read_initial(std::move(make), object::List<F, A>());
  }

  void require_new(const std::string& name) const {
    if (find(name))
      throw std::invalid_argument("the model '" + name_ + "' has two operations '" + name + "'");
  }
  [[nodiscard]] bool find(const std::string& name) const {
    for (const OperationSpec& spec : specs_) {
      if (spec.name == name) return true;
      for (const std::string& alias : spec.aliases) {
        if (alias == name) return true;
      }
    }
    return false;
  }
  void require_key(const OperationSpec& spec) const {
    if (*partition_ + spec.optional < spec.takes.size()) return;
    throw std::invalid_argument("operation '" + spec.name + "' has no argument " +
                                std::to_string(*partition_) + " to partition by (counted from 0)");
  }

  std::string name_;
  std::string summary_;
  std::vector<OperationSpec> specs_;
  std::vector<object::Operation<T>> operations_;
  std::optional<T> initial_ = default_initial();
  std::function<std::optional<T>(Value, const Values&)> from_value_;
  std::string expected_initial_;
  std::optional<std::size_t> partition_;
  std::shared_ptr<const Claim> claim_;
  bool depends_on_process_ = false;
};

namespace object {

using MakeModel = std::function<std::shared_ptr<const Model>()>;
// What PLUMB_MODEL describes in this program, by its class.
inline std::vector<std::pair<const std::type_info*, MakeModel>>& described_models() {
  static std::vector<std::pair<const std::type_info*, MakeModel>> all;
  return all;
}
// Null: nothing describes the class.
inline std::shared_ptr<const Model> described_model(const std::type_info& type) {
  for (const auto& [described, make] : described_models()) {
    if (*described == type) return make();
  }
  return nullptr;
}
template <class T>
bool describe(const char* name, void (*definition)(ObjectModel<T>&)) {
  described_models().emplace_back(&typeid(T), [=]() -> std::shared_ptr<const Model> {
    auto made = std::make_shared<ObjectModel<T>>(name);
    definition(*made);
    return made;
  });
  return true;
}

}  // namespace object
}  // namespace plumb

// A class as a model: PLUMB_MODEL(Account, model) { model.operation(…); }, once in a file. For test.model<Account>() of a test, and for
// `plumb check --spec file.cpp`. (What that looks for is inline: several files of a program may have a model.)
// NOLINTBEGIN(bugprone-macro-parentheses): types and names of parameters cannot stand in parentheses
#define PLUMB_MODEL(plumb_Type, plumb_parameter)                                            \
  static void plumb_describe_model(::plumb::ObjectModel<plumb_Type>& plumb_parameter);      \
  [[maybe_unused]] static const bool plumb_is_described =                                   \
      ::plumb::object::describe<plumb_Type>(#plumb_Type, &plumb_describe_model);            \
  extern "C" {                                                                              \
  __attribute__((used, visibility("default"))) inline const unsigned plumb_spec_interface = \
      ::plumb::kModelInterface;                                                             \
  __attribute__((used, visibility("default"))) inline ::plumb::Model* plumb_spec_model() {  \
    auto plumb_made = ::std::make_unique<::plumb::ObjectModel<plumb_Type>>(#plumb_Type);    \
    plumb_describe_model(*plumb_made);                                                      \
    return plumb_made.release();                                                            \
  }                                                                                         \
  }                                                                                         \
  static void plumb_describe_model(::plumb::ObjectModel<plumb_Type>& plumb_parameter)
// NOLINTEND(bugprone-macro-parentheses)
