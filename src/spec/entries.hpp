// A small map from keys to T, sorted by the handles of the keys: the state of models with keys. A search that
// checks every key on its own has states of one entry: that one stands inline.
//
// Equal maps must be equal states: a model keeps no entry for a key that is as if it had never been met.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <plumb/result.hpp>
#include <plumb/value.hpp>

namespace plumb {

template <class T>
class Entries {
 public:
  struct Entry {
    Value key;
    T value = {};
    friend bool operator==(const Entry&, const Entry&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Entry& e) {
      return H::combine(std::move(h), e.key, e.value);
    }
  };

  Entries() = default;
  Entries(const Entries& other)
      : one_(other.one_),
        has_one_(other.has_one_),
        many_(other.many_ ? std::make_unique<List>(*other.many_) : nullptr) {}
  Entries(Entries&&) noexcept = default;
  Entries& operator=(const Entries& other) { return *this = Entries(other); }
  Entries& operator=(Entries&&) noexcept = default;
  ~Entries() = default;

  // Null where there is none.
  [[nodiscard]] const T* find(Value key) const {
    const auto entries = all();
    const auto it = place(entries, key);
    return it != entries.end() && it->key == key ? &it->value : nullptr;
  }

  void set(Value key, T value) {
    if (many_) {
      const auto it = place(*many_, key);
      if (it != many_->end() && it->key == key) {
        it->value = value;
      } else {
        many_->insert(it, {key, value});
      }
    } else if (!has_one_ || one_.key == key) {
      one_ = {key, value};
      has_one_ = true;
    } else {
      many_ = std::make_unique<List>(List{one_, {key, value}});
      if (key.bits() < one_.key.bits()) std::swap(many_->front(), many_->back());
      forget_one();
    }
  }

  void erase(Value key) {
    if (find(key) == nullptr) return;
    if (!many_) {
      forget_one();
      return;
    }
    many_->erase(place(*many_, key));
    if (many_->size() > 1) return;
    one_ = many_->front();
    has_one_ = true;
    many_.reset();
  }

  [[nodiscard]] auto begin() const { return all().begin(); }
  [[nodiscard]] auto end() const { return all().end(); }
  [[nodiscard]] std::size_t heap_bytes() const {
    return many_ ? sizeof(List) + many_->capacity() * sizeof(Entry) : 0;
  }

  friend bool operator==(const Entries& a, const Entries& b) { return std::ranges::equal(a.all(), b.all()); }
  template <class H>
  friend H AbslHashValue(H h, const Entries& e) {
    for (const Entry& entry : e) h = H::combine(std::move(h), entry);
    return H::combine(std::move(h), e.all().size());
  }

 private:
  using List = std::vector<Entry>;

  [[nodiscard]] std::span<const Entry> all() const {
    return many_ ? std::span<const Entry>(*many_) : std::span<const Entry>(&one_, has_one_ ? 1 : 0);
  }
  void forget_one() {
    one_ = {};
    has_one_ = false;
  }
  template <class Range>
  static auto place(Range& entries, Value key) {
    return std::lower_bound(entries.begin(), entries.end(), key,
                            [](const Entry& e, Value k) { return e.key.bits() < k.bits(); });
  }

  Entry one_;
  bool has_one_ = false;
  std::unique_ptr<List> many_;  // two entries or more
};

// An initial value: an object, or an array of [key, value] where the keys are not strings; null: nothing is
// inside.
[[nodiscard]] Result<Entries<Value>> initial_entries(std::string_view model, const Values& values,
                                                     Value given);
// "{"a": 1, "b": 2}", in the order of the keys as values.
[[nodiscard]] std::string list_entries(const Entries<Value>& entries, const Values& values);

}  // namespace plumb
