// Between values of a history and C++ types: Convert<T>, which you may specialise for types of your own.
//
// | C++                                    | value                                                  |
// |----------------------------------------|--------------------------------------------------------|
// | integers, bool, floating point         | integer, true or false, number                         |
// | std::string, std::string_view          | string                                                 |
// | std::optional<T>                       | null, or what T is                                     |
// | std::vector, deque, set, multiset      | array                                                  |
// | std::map                               | array of [key, value]                                  |
// | std::pair, std::tuple                  | array                                                  |
// | std::monostate                         | null                                                   |
// | plumb::Value                           | anything, as it is                                     |
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <plumb/model.hpp>
#include <plumb/value.hpp>

namespace plumb {

// A specialisation has:
//   static std::optional<T> from(Value, const Values&);   nothing if the value is none of T's
//   static Value to(const T&, Values&);
//   static std::string expected();                        "an integer", for messages
//   static constexpr Takes kTakes; static constexpr Returns kReturns;   what can be said of T beforehand
template <class T>
struct Convert;

template <class T>
concept Convertible = requires(const T& t, Value v, const Values& known, Values& values) {
  { Convert<T>::from(v, known) } -> std::same_as<std::optional<T>>;
  { Convert<T>::to(t, values) } -> std::same_as<Value>;
};

template <>
struct Convert<Value> {
  static constexpr Takes kTakes = Takes::kAny;
  static constexpr Returns kReturns = Returns::kAny;
  static std::optional<Value> from(Value v, const Values&) { return v; }
  static Value to(Value v, Values&) { return v; }
  static std::string expected() { return "a value"; }
};

template <>
struct Convert<std::monostate> {
  static constexpr Takes kTakes = Takes::kAny;
  static constexpr Returns kReturns = Returns::kNothing;
  static std::optional<std::monostate> from(Value, const Values&) { return std::monostate(); }
  static Value to(std::monostate, Values&) { return kNull; }
  static std::string expected() { return "nothing"; }
};

template <>
struct Convert<bool> {
  static constexpr Takes kTakes = Takes::kAny;
  static constexpr Returns kReturns = Returns::kBool;
  static std::optional<bool> from(Value v, const Values&) {
    return v.is_bool() ? std::optional(v.is_true()) : std::nullopt;
  }
  static Value to(bool b, Values&) { return Value::boolean(b); }
  static std::string expected() { return "true or false"; }
};

template <class T>
concept Integer = std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char> &&
                  !std::is_same_v<T, wchar_t> && !std::is_same_v<T, char8_t> &&
                  !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

template <Integer T>
struct Convert<T> {
  static constexpr Takes kTakes = Takes::kInteger;
  static constexpr Returns kReturns = Returns::kInteger;
  static std::optional<T> from(Value v, const Values& values) {
    if (values.kind(v) != ValueKind::kInteger) return std::nullopt;
    const std::int64_t n = values.as_integer(v);
    if (!std::in_range<T>(n)) return std::nullopt;
    return static_cast<T>(n);
  }
  static Value to(T n, Values& values) {
    if (std::in_range<std::int64_t>(n)) return values.integer(static_cast<std::int64_t>(n));
    return values.string(std::to_string(n));  // a double would take two that are nearly the same for one
  }
  static std::string expected() {
    if constexpr (sizeof(T) == sizeof(std::int64_t) && std::is_signed_v<T>) {
      return "an integer";
    } else if constexpr (sizeof(T) == sizeof(std::int64_t)) {
      return "an integer of 0 or more";
    } else {
      return "an integer from " + std::to_string(std::numeric_limits<T>::min()) + " to " +
             std::to_string(std::numeric_limits<T>::max());
    }
  }
};

template <class T>
requires std::is_floating_point_v<T>
struct Convert<T> {
  static constexpr Takes kTakes = Takes::kAny;
  static constexpr Returns kReturns = Returns::kAny;
  static std::optional<T> from(Value v, const Values& values) {
    const ValueKind kind = values.kind(v);
    if (kind != ValueKind::kInteger && kind != ValueKind::kReal) return std::nullopt;
    return static_cast<T>(values.as_real(v));
  }
  static Value to(T d, Values& values) { return values.real(static_cast<double>(d)); }
  static std::string expected() { return "a number"; }
};

template <class T>
requires(std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) struct Convert<T> {
  static constexpr Takes kTakes = Takes::kString;
  static constexpr Returns kReturns = Returns::kString;
  static std::optional<T> from(Value v, const Values& values) {
    if (values.kind(v) != ValueKind::kString) return std::nullopt;
    return T(values.as_string(v));
  }
  static Value to(const T& text, Values& values) { return values.string(text); }
  static std::string expected() { return "a string"; }
};

template <Convertible T>
struct Convert<std::optional<T>> {
  static constexpr Takes kTakes = Takes::kAny;
  static constexpr Returns kReturns = Returns::kAny;
  static std::optional<std::optional<T>> from(Value v, const Values& values) {
    if (v.is_null()) return std::optional<std::optional<T>>(std::in_place);
    auto inner = Convert<T>::from(v, values);
    if (!inner) return std::nullopt;
    return std::optional<std::optional<T>>(std::in_place, std::move(inner));
  }
  static Value to(const std::optional<T>& t, Values& values) {
    return t ? Convert<T>::to(*t, values) : kNull;
  }
  static std::string expected() { return Convert<T>::expected() + ", or null"; }
};

template <class Items>
struct ConvertItems {
  using Item = typename Items::value_type;
  static constexpr Takes kTakes = Takes::kArray;
  static constexpr Returns kReturns = Returns::kAny;
  static std::optional<Items> from(Value v, const Values& values) {
    if (values.kind(v) != ValueKind::kArray) return std::nullopt;
    Items all;
    for (const Value item : values.as_array(v)) {
      auto converted = Convert<Item>::from(item, values);
      if (!converted) return std::nullopt;
      all.insert(all.end(), std::move(*converted));
    }
    return all;
  }
  static Value to(const Items& all, Values& values) {
    std::vector<Value> items;
    for (const auto& item : all) items.push_back(Convert<Item>::to(item, values));
    return values.array(items);
  }
  static std::string expected() { return "an array, each item " + Convert<Item>::expected(); }
};
template <Convertible T>
struct Convert<std::vector<T>> : ConvertItems<std::vector<T>> {};
template <Convertible T>
struct Convert<std::deque<T>> : ConvertItems<std::deque<T>> {};
template <Convertible T>
struct Convert<std::set<T>> : ConvertItems<std::set<T>> {};
template <Convertible T>
struct Convert<std::multiset<T>> : ConvertItems<std::multiset<T>> {};

template <Convertible... Ts>
struct Convert<std::tuple<Ts...>> {
  static constexpr Takes kTakes = Takes::kArray;
  static constexpr Returns kReturns = Returns::kAny;
  static std::optional<std::tuple<Ts...>> from(Value v, const Values& values) {
    if (values.kind(v) != ValueKind::kArray || values.as_array(v).size() != sizeof...(Ts))
      return std::nullopt;
    return items(values.as_array(v), values, std::index_sequence_for<Ts...>());
  }
  static Value to(const std::tuple<Ts...>& all, Values& values) {
    return std::apply(
        [&](const auto&... item) {
          const std::vector<Value> made{Convert<Ts>::to(item, values)...};
          return values.array(made);
        },
        all);
  }
  static std::string expected() {
    std::string out;
    ((out += (out.empty() ? "[" : ", ") + Convert<Ts>::expected()), ...);
    return out + "]";
  }

 private:
  template <std::size_t... I>
  static std::optional<std::tuple<Ts...>> items(std::span<const Value> given, const Values& values,
                                                std::index_sequence<I...>) {
    std::tuple<std::optional<Ts>...> each{Convert<Ts>::from(given[I], values)...};
    if (!(std::get<I>(each).has_value() && ...)) return std::nullopt;
    return std::tuple<Ts...>{std::move(*std::get<I>(each))...};
  }
};

// Also the items of a map, whose keys are const.
template <class A, Convertible B>
requires Convertible<std::remove_const_t<A>>
struct Convert<std::pair<A, B>> {
  using Tuple = std::tuple<std::remove_const_t<A>, B>;
  static constexpr Takes kTakes = Takes::kArray;
  static constexpr Returns kReturns = Returns::kAny;
  static std::optional<std::pair<A, B>> from(Value v, const Values& values) {
    auto both = Convert<Tuple>::from(v, values);
    if (!both) return std::nullopt;
    return std::pair<A, B>(std::get<0>(std::move(*both)), std::get<1>(std::move(*both)));
  }
  static Value to(const std::pair<A, B>& both, Values& values) {
    return Convert<Tuple>::to(Tuple(both), values);
  }
  static std::string expected() { return Convert<Tuple>::expected(); }
};
template <Convertible K, Convertible V>
struct Convert<std::map<K, V>> : ConvertItems<std::map<K, V>> {};

}  // namespace plumb
