// Values: arguments and results, any JSON value, as 32-bit handles that are equal exactly when the values are.
//
// Null, the booleans and integers of up to 31 bits are their own handles. Everything else is interned in a Values
// table: equal values get the same handle, so engines compare and hash values as integers. A table may stand on a
// parent that does not change any more: a search makes new values (a longer string, a sum) in a table of its own and
// still recognises every value of the history.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace plumb {

class Value {
 public:
  constexpr Value() = default;  // null
  static constexpr Value from_bits(std::uint32_t bits) { return Value(bits); }
  static constexpr Value boolean(bool b) { return Value(b ? 2U : 1U); }
  // Integers outside this range live in a table: use Values::integer.
  static constexpr bool fits(std::int64_t n) { return n >= -kInlineLimit && n < kInlineLimit; }
  static constexpr Value small(std::int64_t n) {
    return Value(kInlineFlag | (static_cast<std::uint32_t>(n) & ~kInlineFlag));
  }

  [[nodiscard]] constexpr std::uint32_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool is_null() const { return bits_ == 0; }
  [[nodiscard]] constexpr bool is_bool() const { return bits_ == 1 || bits_ == 2; }
  [[nodiscard]] constexpr bool is_true() const { return bits_ == 2; }
  [[nodiscard]] constexpr bool is_small() const { return (bits_ & kInlineFlag) != 0; }
  [[nodiscard]] constexpr std::int64_t small_integer() const {
    return static_cast<std::int32_t>(bits_ << 1) >> 1;  // sign-extends the 31 bits
  }

  friend constexpr bool operator==(Value, Value) = default;
  template <class H>
  friend H AbslHashValue(H h, Value v) {
    return H::combine(std::move(h), v.bits_);
  }

 private:
  static constexpr std::uint32_t kInlineFlag = 0x8000'0000U;
  static constexpr std::int64_t kInlineLimit = std::int64_t{1} << 30;
  explicit constexpr Value(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_ = 0;
};

inline constexpr Value kNull{};
inline constexpr Value kFalse = Value::boolean(false);
inline constexpr Value kTrue = Value::boolean(true);

enum class ValueKind : std::uint8_t { kNil, kBool, kInteger, kReal, kString, kArray, kObject };

using Member = std::pair<Value, Value>;  // name (a string) and value of one member of an object

// The table behind the handles. Not thread-safe while it grows; safe to read from many threads.
class Values {
 public:
  explicit Values(const Values* parent = nullptr);  // the parent must not grow any more, and must live longer
  ~Values();
  Values(Values&&) noexcept;
  Values& operator=(Values&&) noexcept;

  Value integer(std::int64_t n);
  Value real(double d);  // a whole number of 64 bits becomes an integer: in JSON, 1.0 and 1 are the same
  Value string(std::string_view text);
  Value array(std::span<const Value> items);
  Value object(std::span<const Member> members);  // members in any order; the last of equal names wins

  // The handle if the string is known here, without adding it.
  [[nodiscard]] std::optional<Value> find_string(std::string_view text) const;

  [[nodiscard]] ValueKind kind(Value v) const;
  [[nodiscard]] std::int64_t as_integer(Value v) const;
  [[nodiscard]] double as_real(Value v) const;
  [[nodiscard]] std::string_view as_string(Value v) const;
  [[nodiscard]] std::span<const Value> as_array(Value v) const;
  [[nodiscard]] std::span<const Value> as_object(
      Value v) const;  // name, value, name, value, … sorted by name

  // Numbers by size, strings by bytes, arrays by their items; across kinds by the order of ValueKind.
  [[nodiscard]] int compare(Value a, Value b) const;
  // As compact JSON.
  [[nodiscard]] std::string to_json(Value v) const;
  void append_json(Value v, std::string& out) const;
  // The same value in this table, given its handle in another.
  Value import(const Values& from, Value v);

  [[nodiscard]] std::size_t memory() const;  // bytes held by this table, without its parent

 private:
  struct Probe;
  struct Table;
  Value intern(const Probe& probe);
  [[nodiscard]] std::optional<Value> find(const Probe& probe) const;
  [[nodiscard]] Probe probe(Value v) const;

  const Values* parent_;
  std::unique_ptr<Table> table_;
};

// Text (UTF-8, as every codec makes sure) as a JSON string with its quotes; control characters come out escaped.
void append_json_string(std::string_view text, std::string& out);

}  // namespace plumb

template <>
struct std::hash<plumb::Value> {
  std::size_t operator()(plumb::Value v) const noexcept { return v.bits() * 0x9E37'79B9'7F4A'7C15ULL; }
};
