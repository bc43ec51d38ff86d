// What a method or a function takes and returns, and whether it can change the object: for object_model.hpp.
#pragma once

#include <type_traits>

namespace plumb::object {

template <class... As>
struct List {};

// What a callable takes and returns.
template <class F>
struct Callable : Callable<decltype(&F::operator())> {};
template <class R, class... As>
struct Callable<R (*)(As...)> {
  using Result = R;
  using Arguments = List<As...>;
};
template <class R, class... As>
struct Callable<R (*)(As...) noexcept> : Callable<R (*)(As...)> {};
template <class R, class C, class... As>
struct Callable<R (C::*)(As...)> : Callable<R (*)(C&, As...)> {};
template <class R, class C, class... As>
struct Callable<R (C::*)(As...) const> : Callable<R (*)(const C&, As...)> {};
template <class R, class C, class... As>
struct Callable<R (C::*)(As...) noexcept> : Callable<R (*)(C&, As...)> {};
template <class R, class C, class... As>
struct Callable<R (C::*)(As...) const noexcept> : Callable<R (*)(const C&, As...)> {};

// The object stands first: of a method it is *this; of a lambda, its first parameter, after the lambda
// itself.
template <class F>
struct Shape;
template <class R, class Object, class... As>
struct Split {
  using Result = R;
  using Arguments = List<std::decay_t<As>...>;
  static constexpr bool kReads =
      !std::is_lvalue_reference_v<Object> || std::is_const_v<std::remove_reference_t<Object>>;
};
template <class R, class List>
struct AfterLambda;
template <class R, class Lambda, class Object, class... As>
struct AfterLambda<R, List<Lambda, Object, As...>> : Split<R, Object, As...> {};
template <class R, class Arguments>
struct AfterObject;
template <class R, class Object, class... As>
struct AfterObject<R, List<Object, As...>> : Split<R, Object, As...> {};
template <class F>
struct Shape : AfterLambda<typename Callable<F>::Result, typename Callable<F>::Arguments> {};
template <class F>
requires(std::is_member_function_pointer_v<F> || std::is_pointer_v<F>) struct Shape<F>
    : AfterObject<typename Callable<F>::Result, typename Callable<F>::Arguments> {
};

}  // namespace plumb::object
