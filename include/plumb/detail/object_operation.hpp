// One operation of a class, with everything about its types forgotten: for object_model.hpp.
#pragma once

#include <concepts>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plumb/convert.hpp>
#include <plumb/model.hpp>

namespace plumb {

template <class R, class T>
class Choices;

namespace object {

// What a method returns, apart from how it says so.
template <class R, class T>
struct Returned {
  using Type = R;
  static constexpr bool kChoices = false;
};
template <class T>
struct Returned<void, T> {
  using Type = std::monostate;
  static constexpr bool kChoices = false;
};
template <class R, class T>
struct Returned<Choices<R, T>, T> {
  using Type = R;
  static constexpr bool kChoices = true;
};

// Not inlined: g++ 12 would warn of the virtual call that a pointer to a method might have been.
template <class R, class F, class T, class... As>
__attribute__((noinline)) R invoke(const F& method, T& object, As&&... args) {
  return std::invoke(method, object, std::move(args)...);
}

template <class>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

// How many of the last parameters may be left out.
template <class... As>
std::size_t trailing_optionals() {
  std::size_t count = 0;
  ((count = kIsOptional<As> ? count + 1 : 0), ...);
  return count;
}

inline Value argument(const Call& call, std::size_t i) { return i < call.args.size() ? call.args[i] : kNull; }

// The arguments as C++ values; nothing if one of them does not convert.
template <class... As, std::size_t... I>
std::optional<std::tuple<As...>> arguments(const Call& call, const Values& values,
                                           std::index_sequence<I...>) {
  std::tuple<std::optional<As>...> each{Convert<As>::from(argument(call, I), values)...};
  if (!(std::get<I>(each).has_value() && ...)) return std::nullopt;
  return std::tuple<As...>{std::move(*std::get<I>(each))...};
}

// Argument `number`, from 1; 0: the result.
template <class T>
std::optional<std::string> mismatch(Value v, const Values& values, std::size_t number) {
  if (Convert<T>::from(v, values)) return std::nullopt;
  const std::string what = number == 0 ? "result" : "argument " + std::to_string(number);
  return what + " is " + values.to_json(v) + "; expected " + Convert<T>::expected();
}

template <class T>
struct Successor {
  Value result;
  T after;
};

template <class T>
struct Operation {
  using Successors = std::vector<Successor<T>>;
  std::function<void(const T&, const Call&, Values&, Successors&, bool throws)> run;
  // Of an operation that is determined: changes the object itself. None: it cannot happen there, and the object is spoilt.
  std::function<std::optional<Value>(T&, const Call&, Values&, bool throws)> apply;
  std::function<std::optional<std::string>(const Call&, const Values&)> wrong_arguments;
  std::function<std::optional<std::string>(Value, const Values&)> wrong_result;
  Returns returns = Returns::kNothing;  // when it does not throw
  bool throws = false;
};

template <class... As>
std::optional<std::string> wrong_arguments(const Call& call, const Values& values) {
  std::optional<std::string> wrong;
  std::size_t i = 0;
  (((wrong = wrong ? std::move(wrong) : mismatch<As>(argument(call, i), values, i + 1)), ++i), ...);
  (void)call, (void)values, (void)i;
  return wrong;
}

// The method as it is called: on an object that it may only read, or that it may change.
template <class T, class R, bool kReads, class F, class Arguments>
R invoke_with(const F& method, T& object, const Call& call, Arguments& args) {
  return std::apply(
      [&](auto&... each) -> R {
        if constexpr (kReads) {
          return method(std::as_const(object), call, each...);
        } else {
          return method(object, call, each...);
        }
      },
      args);
}

template <class T, class R, bool kReads, class... As, class F>
auto apply_in_place(F method) {
  return [method](T& object, const Call& call, Values& values, bool throws) -> std::optional<Value> {
    auto args = arguments<As...>(call, values, std::index_sequence_for<As...>());
    if (!args) return std::nullopt;
    try {
      if constexpr (std::is_void_v<R>) {
        invoke_with<T, R, kReads>(method, object, call, *args);
        return kNull;
      } else {
        return Convert<R>::to(invoke_with<T, R, kReads>(method, object, call, *args), values);
      }
    } catch (const std::exception& e) {
      if (throws) return values.string(e.what());
      return std::nullopt;
    }
  };
}

template <class T, class R, bool kReads, class... As, class F>
auto run_with_choices(F method) {
  return [method](const T& object, const Call& call, Values& values, std::vector<Successor<T>>& out,
                  bool throws) {
    auto args = arguments<As...>(call, values, std::index_sequence_for<As...>());
    if (!args) return;
    T after = object;
    try {
      for (auto& [result, state] : invoke_with<T, R, kReads>(method, after, call, *args))
        out.push_back({Convert<typename Returned<R, T>::Type>::to(result, values), std::move(state)});
    } catch (const std::exception& e) {
      if (throws) out.push_back({values.string(e.what()), std::move(after)});
    }
  };
}

// Of a method that returns R and takes As, called with the object, the call and the arguments.
template <class T, class R, bool kReads, class... As, class F>
Operation<T> make_operation(F method) {
  using Result = typename Returned<R, T>::Type;
  Operation<T> operation;
  if constexpr (Returned<R, T>::kChoices) {
    operation.run = run_with_choices<T, R, kReads, As...>(std::move(method));
  } else {
    const auto apply = apply_in_place<T, R, kReads, As...>(std::move(method));
    operation.apply = apply;
    operation.run = [apply](const T& object, const Call& call, Values& values, std::vector<Successor<T>>& out,
                            bool throws) {
      T after = object;
      if (const auto result = apply(after, call, values, throws)) out.push_back({*result, std::move(after)});
    };
  }
  operation.wrong_arguments = wrong_arguments<As...>;
  operation.wrong_result = [](Value v, const Values& values) { return mismatch<Result>(v, values, 0); };
  operation.returns = Convert<Result>::kReturns;
  return operation;
}

}  // namespace object

}  // namespace plumb
