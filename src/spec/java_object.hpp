// What the classes of java.util.concurrent do when one thread uses them, as in OpenJDK 17: the sequential side of the
// models `java:…`. A model for TypedStates; which class it is, is a row of the table in java_classes.cpp.
//
// Results are values where Java returns null, a boolean or a number, and text otherwise: "[1, 2]", "{1=2}", "1=2", and
// the name of its class for an exception that is thrown. A recorded "2" means 2.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <plumb/model.hpp>

#include "spec/java_classes.hpp"

namespace plumb {

// Elements in the order in which Java iterates over them; of a map, key and value by turns.
struct JavaState {
  std::vector<Value> items;
  std::uint32_t buckets = 0;  // of a hash map; 0: it has no table yet

  [[nodiscard]] std::size_t heap_bytes() const { return items.capacity() * sizeof(Value); }
  friend bool operator==(const JavaState&, const JavaState&) = default;
  template <class H>
  friend H AbslHashValue(H h, const JavaState& s) {
    return H::combine(std::move(h), s.items, s.buckets);
  }
};

// Text as Java prints it.
void append_java_text(Value value, const Values& values, std::string& out);

class JavaObject {
 public:
  using State = JavaState;

  JavaObject(const JavaClass& type, std::span<const JavaOperation> operations)
      : type_(&type), operations_(operations) {}

  // Elements are integers, booleans and texts that cannot be mistaken for those; or null, which is refused by throwing.
  static std::optional<std::string> validate(const OperationSpec& spec, std::span<const Value> args,
                                             const Values& values);

  Result<State> initial(Values& values, Value given);  // the arguments of the constructor, as an array
  std::optional<Value> result(const State& state, const Call& call, Values& values) const;
  void update(State& state, const Call& call, Values& values) const;
  bool allows(const State& state, const Call& call, Value recorded, Values& values) const;
  [[nodiscard]] std::string describe(const State& state, const Values& values) const;

 private:
  using Args = std::span<const Value>;
  enum Exception : std::uint8_t { kNullPointer, kNoSuchElement, kIllegalState, kClassCast };
  struct Found {
    std::size_t at = 0;  // where it is, or would be put
    bool here = false;
  };

  [[nodiscard]] Value thrown(Exception exception) const { return exceptions_[exception]; }
  [[nodiscard]] bool is_thrown(Value result) const;
  [[nodiscard]] bool is_map() const {
    return type_->kind == JavaKind::kHashMap || type_->kind == JavaKind::kSortedMap;
  }
  [[nodiscard]] std::size_t stride() const { return is_map() ? 2 : 1; }
  [[nodiscard]] bool is_full(const State& state) const { return state.items.size() >= capacity_; }

  // Methods that only look, by the parts of the table.
  Value look(JavaMethod method, Args args, const State& state, Values& values) const;
  Value look_at_neighbours(JavaMethod method, Args args, const State& state, Values& values) const;
  Value look_into_map(JavaMethod method, Args args, const State& state, Values& values) const;
  Value contains(const State& state, Value element, const Values& values) const;
  Value contains_all(const State& state, Args elements, const Values& values) const;
  static Value entry(const State& state, std::size_t at, Values& values);

  // Methods that may change the object. None: it waits.
  std::optional<Value> change(JavaMethod method, Args args, State& state, Values& values) const;
  std::optional<Value> take_from_end(JavaMethod method, State& state, const Values& values) const;
  std::optional<Value> put_at_end(JavaMethod method, Value element, State& state, const Values& values) const;
  Value remove_first(State& state, const Values& values) const;
  Value add(State& state, Value element, const Values& values) const;
  Value add_all(State& state, Args elements, const Values& values) const;
  Value remove(State& state, Value element, const Values& values, bool last) const;
  Value remove_all(State& state, Args elements, const Values& values) const;
  Value keep_if(State& state, Args elements, bool listed, const Values& values) const;
  Value drain(State& state, Args args, const Values& values) const;
  Value change_map(JavaMethod method, Args args, State& state, Values& values) const;
  static Value poll_entry(bool first, State& state, Values& values);
  Value put(State& state, Value key, Value value, const Values& values) const;
  Value put_all(State& state, Value entries, Values& values) const;

  // Where the element or key is, in entries; an exception for null and for what cannot be compared.
  std::variant<Found, Value> find(const State& state, Value key, const Values& values) const;
  Status construct(State& state, Value argument, Values& values);
  Status fill(State& state, Value contents, Values& values) const;

  [[nodiscard]] std::string listing(const State& state, const Values& values) const;

  static constexpr std::size_t kNoLimit = 0x7fff'ffff;  // Integer.MAX_VALUE

  const JavaClass* type_;
  std::span<const JavaOperation> operations_;
  std::size_t capacity_ = kNoLimit;
  std::uint32_t first_buckets_ = 0;  // of the table of a hash map, as its constructor was told; 0: the usual
  std::array<Value, 4> exceptions_;
};

}  // namespace plumb
