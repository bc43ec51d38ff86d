// What is known of a finding, for programs: names with numbers, texts, lists, and facts within facts. Those who found it know which
// there are; how they are written is up to the renderers.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace plumb {

class FactValue {
 public:
  struct Decimal {  // with so many digits after its point
    double number;
    int digits;
  };
  struct Json {  // a value of a history, which is JSON already
    std::string text;
  };
  using List = std::vector<FactValue>;
  using Facts = std::vector<std::pair<std::string, FactValue>>;
  using Any = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, Decimal, Json, std::string,
                           List, Facts>;

  // NOLINTBEGIN(google-explicit-constructor): a fact is written as what it is
  FactValue(std::string text) : any_(std::move(text)) {}
  FactValue(std::string_view text) : any_(std::string(text)) {}
  FactValue(const char* text) : any_(std::string(text)) {}
  FactValue(Decimal number) : any_(number) {}
  FactValue(Json json) : any_(std::move(json)) {}
  FactValue(Facts facts) : any_(std::move(facts)) {}
  FactValue(bool truth) : any_(truth) {}
  template <std::signed_integral Number>
  FactValue(Number number) : any_(std::int64_t{number}) {}
  template <std::unsigned_integral Number>
  FactValue(Number number) : any_(std::uint64_t{number}) {}
  template <class T>
  FactValue(const std::optional<T>& known) : any_(known ? FactValue(*known).any_ : Any(nullptr)) {}
  template <class T>
  requires std::convertible_to<const T&, FactValue> FactValue(const std::vector<T>& items)
      : any_(List(items.begin(), items.end())) {}
  // NOLINTEND(google-explicit-constructor)

  [[nodiscard]] const Any& any() const { return any_; }

 private:
  Any any_;
};

using Facts = FactValue::Facts;

}  // namespace plumb
