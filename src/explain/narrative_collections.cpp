// Queues, stacks, deques and priority queues: what went in and out, and when.
#include <tuple>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "explain/narrative.hpp"

namespace plumb {
namespace {

// The past participles of a family's operations.
struct Words {
  std::string_view in;
  std::string_view out;
  std::string_view what;
};

Words words_of(Family family) {
  if (family == Family::kQueue) return {"enqueued", "dequeued", "queue"};
  if (family == Family::kPriorityQueue) return {"inserted", "extracted", "priority queue"};
  return {"pushed", "popped", to_string(family)};
}

// One value: who put it in, who took it out. Operations called after the impossible one returned are not counted.
struct Stay {
  Value value;
  std::size_t inserted = 0;
  std::size_t removed = 0;  // by operations that returned no later than the impossible one
  const Fact* in = nullptr;
  const Fact* out = nullptr;  // the last, rather one that is shown; null: nobody took it
  bool once = true;           // put in once, taken out at most once
  [[nodiscard]] std::size_t inside_until() const { return out == nullptr ? Fact::kNever : out->call; }
  // Inside for certain at every moment of `o`, whatever the order.
  [[nodiscard]] bool covers(const Fact& o) const { return in->before(o) && inside_until() > o.ret; }
};

class Collection {
 public:
  explicit Collection(const Facts& facts)
      : facts_(facts), family_(facts.bound().family()), words_(words_of(family_)) {
    for (const Fact& fact : facts.others()) {
      if (!is_peek(fact.role)) add(fact);
    }
    for (const Fact& fact : facts.later()) {
      if (!is_insertion(fact) && !is_peek(fact.role) && fact.result) removed_later_.insert(*fact.result);
    }
  }

  [[nodiscard]] std::optional<Sentence> tell() const {
    const Fact& o = facts_.impossible();
    const bool starts_empty = facts_.bound().initial().is_null();
    if (is_insertion(o) || !starts_empty) return std::nullopt;
    if (o.result->is_null()) return lost_removals_ ? std::nullopt : never_empty(o);
    if (auto why = never_put_in(o)) return why;
    if (is_peek(o.role)) return std::nullopt;
    if (auto why = too_often(o)) return why;
    return lost_removals_ ? std::nullopt : out_of_turn(o);
  }

 private:
  [[nodiscard]] bool is_insertion(const Fact& fact) const {
    return !facts_.bound().history().args(fact.id).empty();
  }

  void add(const Fact& fact) {
    if (!is_insertion(fact) && !fact.result) {
      lost_removals_ = true;
      return;
    }
    const Value value = is_insertion(fact) ? facts_.last_argument(fact) : *fact.result;
    if (value.is_null()) return;
    Stay& stay = stays_[value];
    stay.value = value;
    if (is_insertion(fact)) {
      stay.once = stay.once && stay.in == nullptr;
      stay.in = &fact;
      ++stay.inserted;
    } else {
      stay.once = stay.once && stay.out == nullptr;
      if (stay.out == nullptr || fact.in_core || !stay.out->in_core) stay.out = &fact;
      if (fact.ret < facts_.impossible().ret) ++stay.removed;
    }
  }

  static std::string times(std::size_t count) {
    return count == 1 ? "only once" : fmt::format("{} times", count);
  }

  [[nodiscard]] std::optional<Sentence> never_put_in(const Fact& o) const {
    const auto it = stays_.find(*o.result);
    if (it != stays_.end() && it->second.in != nullptr) return std::nullopt;
    return Sentence{fmt::format("{} had not been {} when it returned", facts_.text(*o.result), words_.in)};
  }

  // Taken out more often than put in.
  [[nodiscard]] std::optional<Sentence> too_often(const Fact& o) const {
    const Stay& stay = stays_.at(*o.result);
    if (stay.removed < stay.inserted) return std::nullopt;
    if (stay.inserted == 1 && stay.in->in_core && stay.out->in_core) {
      return Sentence{fmt::format("{} was {} only once, and {} {} it too", facts_.text(stay.value), words_.in,
                                  facts_.by(*stay.out), words_.out),
                      {stay.in->id, stay.out->id}};
    }
    return Sentence{fmt::format("{} was {} {}, and others {} it {}", facts_.text(stay.value), words_.in,
                                times(stay.inserted), words_.out, times(stay.removed))};
  }

  // Another value should have come first. Of several that are shown, the one that was there longest.
  [[nodiscard]] std::optional<Sentence> out_of_turn(const Fact& o) const {
    const Stay& own = stays_.at(*o.result);
    if (!own.once || own.out != nullptr || !own.in->in_core) return std::nullopt;
    const Stay* first = nullptr;
    for (const auto& [value, stay] : stays_) {
      if (stay.value == own.value || !stay.once || stay.in == nullptr || stay.out != nullptr) continue;
      if (!stay.in->in_core || !comes_first(stay, own, o)) continue;
      if (first == nullptr || stay.in->ret < first->in->ret) first = &stay;
    }
    if (first == nullptr) return std::nullopt;
    const std::string u = facts_.text(first->value);
    const std::string rest = removed_later_.contains(first->value)
                                 ? fmt::format("{} after it", words_.out)
                                 : fmt::format("had not been {}", words_.out);
    const std::vector<OperationId> named = {first->in->id, own.in->id};
    if (family_ == Family::kQueue) {
      return Sentence{fmt::format("{} was {} before {} and {}", u, words_.in, facts_.text(own.value), rest),
                      named};
    }
    if (family_ == Family::kStack) {
      return Sentence{fmt::format("{} was {} after {}, before it began, and {}", u, words_.in,
                                  facts_.text(own.value), rest),
                      named};
    }
    return Sentence{fmt::format("{}, which is smaller, was {} before it began and {}", u, words_.in, rest),
                    {first->in->id}};
  }

  // `stay` is still inside when `o` returns.
  [[nodiscard]] bool comes_first(const Stay& stay, const Stay& own, const Fact& o) const {
    if (family_ == Family::kQueue) return stay.in->before(*own.in);
    if (family_ == Family::kStack) return own.in->before(*stay.in) && stay.covers(o);
    const Values& values = facts_.bound().history().values();
    return family_ == Family::kPriorityQueue && stay.covers(o) && values.compare(stay.value, own.value) < 0;
  }

  // From its call to its return something was inside: one value, or several that take turns.
  [[nodiscard]] std::optional<Sentence> never_empty(const Fact& o) const {
    std::vector<std::string> chain;
    std::vector<OperationId> named;
    for (std::size_t moment = o.call; moment < o.ret;) {
      const Stay* longest = nullptr;
      for (const auto& [value, stay] : stays_) {
        if (!stay.once || stay.in == nullptr || stay.in->ret >= moment || stay.inside_until() <= moment)
          continue;
        if (!stay.in->in_core || (stay.out != nullptr && !stay.out->in_core)) continue;
        const auto rank = [](const Stay& s) { return std::tuple(s.inside_until(), ~s.in->ret); };
        if (longest == nullptr || rank(stay) > rank(*longest)) longest = &stay;
      }
      if (longest == nullptr) return std::nullopt;
      chain.push_back(facts_.text(longest->value));
      named.push_back(longest->in->id);
      if (longest->out != nullptr) named.push_back(longest->out->id);
      moment = longest->inside_until();
    }
    std::string held = chain.front();
    for (std::size_t i = 1; i < chain.size(); ++i) held += (i + 1 == chain.size() ? " or " : ", ") + chain[i];
    return Sentence{fmt::format("between its call and its return the {} always held {}", words_.what, held),
                    named};
  }

  const Facts& facts_;
  Family family_;
  Words words_;
  bool lost_removals_ = false;  // one that never returned may have taken anything
  absl::flat_hash_map<Value, Stay> stays_;
  absl::flat_hash_set<Value> removed_later_;
};

}  // namespace

std::optional<Sentence> tell_collection(const Facts& facts) { return Collection(facts).tell(); }

}  // namespace plumb
