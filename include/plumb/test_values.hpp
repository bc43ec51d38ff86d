// What an operation under test is called with, and what it returned, as values of a history.
//
//   plumb::values(1, 2)          these
//   plumb::range(1, 5)           1, 2, 3, 4, 5
//   plumb::generated(8, f)       eight that f makes of a std::mt19937_64
//   plumb::distinct(1, 2)        these in an exploration; in a stress run, a number per call that no other call has
//   plumb::exactly(1, 2)         these in a stress run too, where numbers that a model only stores are otherwise distinct
//
// Whatever convert.hpp knows keeps its structure. Other types must be comparable and printable: == and << to a stream.
#pragma once

#include <any>
#include <concepts>
#include <cstddef>
#include <functional>
#include <locale>
#include <optional>
#include <ostream>
#include <random>
#include <sstream>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include <plumb/convert.hpp>
#include <plumb/value.hpp>

namespace plumb {

// The values that one parameter of an operation takes.
template <class T>
struct ArgumentValues {
  std::function<std::vector<T>(std::mt19937_64&)> make;
  std::optional<bool> distinct = std::nullopt;  // in a stress run; not given: as the model has it
};

// A value for a container that needs few or small values, and a tag by which a stress run distinguishes equal ones: the wrapper of
// the LiMo paper, section 3.1.4. The class under test compares only values; the recording has only tags. Do not use it for classes
// that inspect their values, such as a set or a map of keys.
template <class T>
struct Tagged {
  T value{};
  std::int64_t tag = 0;  // none: not in a stress run

  Tagged() = default;
  Tagged(T untagged, std::int64_t with = 0)  // NOLINT(google-explicit-constructor): it stands for the value
      : value(std::move(untagged)), tag(with) {}
  friend bool operator==(const Tagged& a, const Tagged& b) { return a.value == b.value; }
  friend bool operator<(const Tagged& a, const Tagged& b) { return a.value < b.value; }
};

template <Convertible T>
struct Convert<Tagged<T>> {
  static constexpr Takes kTakes = Takes::kAny;
  static constexpr Returns kReturns = Returns::kAny;
  static std::optional<Tagged<T>> from(Value v, const Values& values) {
    const std::optional<T> value = Convert<T>::from(v, values);
    return value ? std::optional<Tagged<T>>(*value) : std::nullopt;
  }
  static Value to(const Tagged<T>& tagged, Values& values) {
    return tagged.tag != 0 ? values.integer(tagged.tag) : Convert<T>::to(tagged.value, values);
  }
  static std::string expected() { return Convert<T>::expected(); }
};

namespace test {

template <class T>
using Stored = std::conditional_t<std::is_convertible_v<T, std::string> && !std::is_same_v<T, std::nullptr_t>,
                                  std::string, std::decay_t<T>>;

template <class T>
concept Printable = requires(std::ostream& out, const T& value) {
  out << value;
};
template <class T>
concept Comparable = requires(const T& a, const T& b) {
  { a == b } -> std::convertible_to<bool>;
};

// While one of these lives, nothing is a step of the test: memory belongs to plumb, not to the execution, which ends.
class UninstrumentedScope {
 public:
  UninstrumentedScope();
  ~UninstrumentedScope();
  UninstrumentedScope(const UninstrumentedScope&) = delete;
  UninstrumentedScope& operator=(const UninstrumentedScope&) = delete;

 private:
  bool before_;
};

// The table of printed values is one thread's at a time; under exploration only one runs anyway.
class PrintLock {
 public:
  PrintLock();
  ~PrintLock();
  PrintLock(const PrintLock&) = delete;
  PrintLock& operator=(const PrintLock&) = delete;
};

// The values of a type that were printed so far. They are plumb's, not the program's, whose data is reset for each execution.
std::any& printed_values(const std::type_info& type);

// A type that convert.hpp does not know: its text. Values that print alike but are not equal are numbered.
template <class T>
Value printed(const T& value, Values& values) {
  using Table = std::vector<std::pair<T, std::string>>;
  const PrintLock lock;
  std::any& table = printed_values(typeid(T));
  if (!table.has_value()) table = Table();
  auto& met = std::any_cast<Table&>(table);
  for (const auto& [known, text] : met) {
    if (known == value) return values.string(text);
  }
  std::ostringstream out;
  out.imbue(std::locale::classic());  // 1000 is 1000 wherever the program feels at home
  out << value;
  std::string text = out.str();
  int alike = 1;
  for (const auto& [known, other] : met) alike += other == text || other.starts_with(text + " #") ? 1 : 0;
  if (alike > 1) text += " #" + std::to_string(alike);
  met.emplace_back(value, text);
  return values.string(text);
}

template <class T>
Value to_value(const T& value, Values& values) {
  if constexpr (Convertible<T>) {
    return Convert<T>::to(value, values);
  } else {
    static_assert(Comparable<T>,
                  "plumb: what an operation takes or returns must be comparable: give it `bool "
                  "operator==(const T&) const`");
    static_assert(Printable<T>,
                  "plumb: what an operation takes or returns must be printable: give it `std::ostream& "
                  "operator<<(std::ostream&, const T&)`");
    if constexpr (Comparable<T> && Printable<T>) return printed(value, values);
  }
}

}  // namespace test

template <class First, class... Rest>
auto values(First first, Rest... rest) {
  using T = std::common_type_t<test::Stored<First>, test::Stored<Rest>...>;
  std::vector<T> all{T(std::move(first)), T(std::move(rest))...};
  return ArgumentValues<T>{[all](std::mt19937_64&) { return all; }};
}

template <class First, class... Rest>
auto distinct(First first, Rest... rest) {
  auto all = values(std::move(first), std::move(rest)...);
  all.distinct = true;
  return all;
}

template <class First, class... Rest>
auto exactly(First first, Rest... rest) {
  auto all = values(std::move(first), std::move(rest)...);
  all.distinct = false;
  return all;
}

template <std::integral T>
ArgumentValues<T> range(T first, T last) {
  return {[=](std::mt19937_64&) {
    std::vector<T> all;
    for (T i = first; i <= last; ++i) all.push_back(i);
    return all;
  }};
}

// Drawn anew for each seed of the test.
template <class Generator>
auto generated(std::size_t count, Generator generator) {
  using T = std::decay_t<std::invoke_result_t<Generator&, std::mt19937_64&>>;
  return ArgumentValues<T>{[=](std::mt19937_64& random) mutable {
    std::vector<T> all;
    for (std::size_t i = 0; i < count; ++i) all.push_back(generator(random));
    return all;
  }};
}

}  // namespace plumb
