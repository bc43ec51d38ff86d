// What a search asks of the states of a model: whether two are equal, a hash, and how a person writes one.
//
// For a class of your own, one of these is enough:
//   auto fields() const { return std::tie(a, b); }
//       all that makes up the state: hash, text and, without an operator==, equality come from it
//   std::size_t hash() const;             besides operator==
//   a specialisation of std::hash         likewise
// A class without padding and pointers (an integer or two) needs only operator==. The text is that of
// `std::string describe() const`, if there is one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <plumb/convert.hpp>
#include <plumb/detail/mix.hpp>

namespace plumb::state {

template <class T>
concept HasFields = requires(const T& t) {
  std::tuple_size<decltype(t.fields())>::value;
};
template <class T>
concept HasHash = requires(const T& t) {
  { t.hash() } -> std::convertible_to<std::size_t>;
};
template <class T>
concept HasStdHash = requires(const T& t) {
  { std::hash<T>()(t) } -> std::convertible_to<std::size_t>;
};
template <class T>
concept IsTuple = requires {
  std::tuple_size<T>::value;
}
&&!std::ranges::range<T>;

template <class T>
concept Hashable = HasFields<T> || HasHash<T> || HasStdHash<T> || std::ranges::forward_range<const T> ||
    IsTuple<T> || std::has_unique_object_representations_v<T>;
template <class T>
concept Comparable = HasFields<T> || std::equality_comparable<T>;

// The items of an unordered container would come in any order: give a class that has one a hash() of its own.
template <class T>
std::size_t hash(const T& t) {
  static_assert(
      Hashable<T>,
      "plumb: a state must have a hash: give its class `auto fields() const { return std::tie(…); }` or "
      "`std::size_t hash() const`");
  if constexpr (HasHash<T>) {
    return t.hash();
  } else if constexpr (HasFields<T>) {
    return hash(t.fields());
  } else if constexpr (HasStdHash<T>) {
    return detail::mix(0, std::hash<T>()(t));
  } else if constexpr (std::ranges::forward_range<const T>) {
    static_assert(
        !requires { t.hash_function(); },
        "plumb: an unordered container has no order to hash it by: use an ordered one, or give your class "
        "`std::size_t hash() const`");
    std::size_t h = 0;
    for (const auto& item : t) h = detail::mix(h, hash(item)) + 1;
    return h;
  } else if constexpr (IsTuple<T>) {
    std::size_t h = 0;
    std::apply(
        [&](const auto&... item) { ((h = detail::mix(h, hash(std::decay_t<decltype(item)>(item)))), ...); },
        t);
    return h;
  } else {
    return std::hash<std::string_view>()({reinterpret_cast<const char*>(&t), sizeof(T)});
  }
}

template <class T>
bool equal(const T& a, const T& b) {
  static_assert(
      Comparable<T>,
      "plumb: states must be comparable: give the class `bool operator==(const T&) const = default;`");
  if constexpr (std::equality_comparable<T>) {
    return a == b;
  } else {
    return a.fields() == b.fields();
  }
}

// The same tuple without references: std::tie makes references.
template <class... Ts>
std::tuple<std::decay_t<Ts>...> plain(const std::tuple<Ts...>& t) {
  return t;
}

// The text of a state; nothing if there is no way to write it.
template <class T>
std::optional<std::string> describe(const T& t, const Values& values) {
  if constexpr (requires { std::string(t.describe()); }) {
    return t.describe();
  } else if constexpr (Convertible<T>) {
    Values scratch(&values);
    return scratch.to_json(Convert<T>::to(t, scratch));
  } else if constexpr (HasFields<T>) {
    using Plain = decltype(plain(t.fields()));
    if constexpr (std::tuple_size_v<Plain> == 1) {
      return describe(std::get<0>(plain(t.fields())), values);
    } else if constexpr (Convertible<Plain>) {
      Values scratch(&values);
      return scratch.to_json(Convert<Plain>::to(plain(t.fields()), scratch));
    } else {
      return std::nullopt;
    }
  } else {
    return std::nullopt;
  }
}

}  // namespace plumb::state
