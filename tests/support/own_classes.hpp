// Classes such as users write, one per family, each with a model that claims to behave as it. Their operations have names, and
// results of insertions, other than the built-in models' where that is allowed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include <plumb/object_model.hpp>

#include "support/tiny_objects.hpp"

namespace plumb::test {

struct OwnQueue {
  std::deque<long> items;
  bool offer(long value) {
    items.push_back(value);
    return true;
  }
  std::optional<long> poll() {
    if (items.empty()) return std::nullopt;
    const long first = items.front();
    items.pop_front();
    return first;
  }
  [[nodiscard]] std::size_t size() const { return items.size(); }
  [[nodiscard]] auto fields() const { return std::tie(items); }
  bool operator==(const OwnQueue&) const = default;
};

struct OwnStack {
  std::vector<long> items;
  void add(long value) { items.push_back(value); }
  std::optional<long> take() {
    if (items.empty()) return std::nullopt;
    const long last = items.back();
    items.pop_back();
    return last;
  }
  [[nodiscard]] auto fields() const { return std::tie(items); }
  bool operator==(const OwnStack&) const = default;
};

struct OwnHeap {
  std::multiset<long> items;
  void push(long value) { items.insert(value); }
  std::optional<long> pop() {
    if (items.empty()) return std::nullopt;
    const long least = *items.begin();
    items.erase(items.begin());
    return least;
  }
  [[nodiscard]] auto fields() const { return std::tie(items); }
  bool operator==(const OwnHeap&) const = default;
};

struct OwnSet {
  std::set<long> items;
  bool insert(long value) { return items.insert(value).second; }
  bool erase(long value) { return items.erase(value) != 0; }
  [[nodiscard]] bool has(long value) const { return items.contains(value); }
  [[nodiscard]] auto fields() const { return std::tie(items); }
  bool operator==(const OwnSet&) const = default;
};

struct OwnMultiset {
  std::map<long, long> count;
  void insert(long value) { ++count[value]; }
  bool erase(long value) {
    const auto it = count.find(value);
    if (it == count.end()) return false;
    if (--it->second == 0) count.erase(it);
    return true;
  }
  [[nodiscard]] bool has(long value) const { return count.contains(value); }
  [[nodiscard]] auto fields() const { return std::tie(count); }
  bool operator==(const OwnMultiset&) const = default;
};

struct OwnMap {
  std::map<long, long> values;
  [[nodiscard]] std::optional<long> load(long key) const {
    const auto it = values.find(key);
    return it == values.end() ? std::nullopt : std::optional(it->second);
  }
  void store(long key, long value) { values[key] = value; }
  [[nodiscard]] auto fields() const { return std::tie(values); }
  bool operator==(const OwnMap&) const = default;
};

struct OwnRegister {
  std::optional<long> value;
  [[nodiscard]] std::optional<long> load() const { return value; }
  void store(long v) { value = v; }
  [[nodiscard]] auto fields() const { return std::tie(value); }
  bool operator==(const OwnRegister&) const = default;
};

// A register that begins with a number.
struct OwnCell {
  long value = 7;
  [[nodiscard]] long read() const { return value; }
  void write(long v) { value = v; }
  bool cas(long from, long to) {
    if (value != from) return false;
    value = to;
    return true;
  }
  [[nodiscard]] auto fields() const { return std::tie(value); }
  bool operator==(const OwnCell&) const = default;
};

struct OwnCounter {
  long value = 0;
  long get_and_add(long n) { return std::exchange(value, value + n); }
  [[nodiscard]] long get() const { return value; }
  bool operator==(const OwnCounter&) const = default;
  [[nodiscard]] auto fields() const { return std::tie(value); }
};

struct OwnMutex {
  std::optional<Value> holder;
  void lock(Process me) {
    if (holder) throw std::runtime_error("held");
    holder = me.id;
  }
  void unlock(Process me) {
    if (holder != me.id) throw std::runtime_error("not held");
    holder.reset();
  }
  bool try_lock(Process me) {
    if (holder) return false;
    holder = me.id;
    return true;
  }
  [[nodiscard]] auto fields() const { return std::tie(holder); }
  bool operator==(const OwnMutex&) const = default;
};

// A class, and the tiny object that it must be the same as, by its own names.
struct OwnClass {
  std::shared_ptr<const Model> model;
  TinyObject tiny;
  Family family;
};

template <class T, class Describe>
OwnClass own_class(std::string_view name, Family family, std::string_view tiny,
                   std::vector<std::string_view> functions, const Describe& describe) {
  auto model = std::make_shared<ObjectModel<T>>(std::string(name));
  describe(*model);
  model->behaves_as(family);
  TinyObject object = tiny_object(tiny);
  object.functions = std::move(functions);
  return {std::move(model), std::move(object), family};
}

inline OwnClass own_queue() {
  OwnClass own = own_class<OwnQueue>("own queue", Family::kQueue, "queue", {"offer", "poll"},
                                     [](ObjectModel<OwnQueue>& model) {
                                       model.operation("offer", &OwnQueue::offer);
                                       model.operation("poll", &OwnQueue::poll);
                                       model.operation("size", &OwnQueue::size).outside_family();
                                     });
  own.tiny.returns[0] = TinyReturns::kAlwaysTrue;
  return own;
}

inline ObjectModel<OwnCell> own_cell() {
  ObjectModel<OwnCell> model("cell");
  model.operation("read", &OwnCell::read);
  model.operation("write", &OwnCell::write);
  model.operation("cas", &OwnCell::cas);
  model.behaves_as(Family::kRegister);
  return model;
}

inline std::vector<OwnClass> own_classes() {
  std::vector<OwnClass> all = {own_queue()};
  all.push_back(own_class<OwnStack>("own stack", Family::kStack, "stack", {"add", "take"}, [](auto& model) {
    model.operation("add", &OwnStack::add);
    model.operation("take", &OwnStack::take).reads_when_null();
  }));
  all.push_back(own_class<OwnHeap>("own heap", Family::kPriorityQueue, "priority-queue", {"push", "least"},
                                   [](auto& model) {
                                     model.operation("push", &OwnHeap::push);
                                     model.operation("least", &OwnHeap::pop).role(Role::kRemove);
                                   }));
  all.push_back(
      own_class<OwnSet>("own set", Family::kSet, "set", {"insert", "erase", "has"}, [](auto& model) {
        model.operation("insert", &OwnSet::insert);
        model.operation("erase", &OwnSet::erase);
        model.operation("has", &OwnSet::has);
      }));
  all.push_back(own_class<OwnMultiset>("own multiset", Family::kMultiset, "multiset",
                                       {"insert", "erase", "has"}, [](auto& model) {
                                         model.operation("insert", &OwnMultiset::insert);
                                         model.operation("erase", &OwnMultiset::erase);
                                         model.operation("has", &OwnMultiset::has);
                                       }));
  all.push_back(own_class<OwnMap>("own map", Family::kMap, "map", {"load", "store"}, [](auto& model) {
    model.operation("load", &OwnMap::load);
    model.operation("store", &OwnMap::store);
  }));
  all.push_back(own_class<OwnRegister>("own register", Family::kRegister, "register", {"load", "store"},
                                       [](auto& model) {
                                         model.operation("load", &OwnRegister::load);
                                         model.operation("store", &OwnRegister::store);
                                       }));
  all.push_back(own_class<OwnCounter>("own counter", Family::kCounter, "counter", {"get_and_add", "get"},
                                      [](auto& model) {
                                        model.operation("get_and_add", &OwnCounter::get_and_add);
                                        model.operation("get", &OwnCounter::get);
                                      }));
  all.push_back(own_class<OwnMutex>("own mutex", Family::kMutex, "mutex", {"lock", "unlock", "try_lock"},
                                    [](auto& model) {
                                      model.operation("lock", &OwnMutex::lock);
                                      model.operation("unlock", &OwnMutex::unlock);
                                      model.operation("try_lock", &OwnMutex::try_lock);
                                    }));
  return all;
}

}  // namespace plumb::test
