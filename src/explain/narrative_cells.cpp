// Registers, maps, sets, locks, counters and strings: what was there, and what had come after it.
#include <algorithm>
#include <limits>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "explain/narrative.hpp"

namespace plumb {
namespace {

Family family_of(const Facts& facts) { return facts.bound().family(); }

// What an operation leaves in a cell if it takes effect; none for one that only looks, or failed.
std::optional<Value> leaves(const Facts& facts, const Fact& fact) {
  if (fact.failed() || fact.role == Role::kRead) return std::nullopt;
  return fact.role == Role::kRemove ? kNull : facts.last_argument(fact);
}

// When everybody had returned of whom this holds; kNever: somebody never did.
template <class Holds>
std::size_t all_returned(const Facts& facts, const Holds& holds) {
  std::size_t moment = 0;
  for (const Fact& f : facts.others()) {
    if (holds(f)) moment = std::max(moment, f.ret);
  }
  return moment;
}

// Everybody who may have left `value` there had come and gone when something else was left, before the impossible one
// began: who left it.
const Fact* overwriter(const Facts& facts, Value value) {
  const std::size_t gone = all_returned(facts, [&](const Fact& w) { return leaves(facts, w) == value; });
  const Fact* found = nullptr;
  for (const Fact& x : facts.others()) {
    const auto left = leaves(facts, x);
    const bool other = x.in_core && left && *left != value;
    if (other && x.call >= gone && x.before(facts.impossible())) found = &x;
  }
  return found;
}

// A value written only once, seen, and then another one seen: it cannot come back. The first to see it, the last to see
// another.
std::optional<Sentence> seen_before_another(const Facts& facts, Value value) {
  const Fact* first = nullptr;
  const Fact* last = nullptr;
  for (const Fact& f : facts.others()) {
    const bool looks = f.role == Role::kRead;
    if (!f.in_core || !looks || !f.result || !f.before(facts.impossible())) continue;
    if (*f.result != value) {
      last = &f;
    } else if (first == nullptr || f.ret < first->ret) {
      first = &f;
    }
  }
  if (first == nullptr || last == nullptr || !first->before(*last)) return std::nullopt;
  return Sentence{
      fmt::format("{} was written only once, and {} had seen it before {} saw {}", facts.text(value),
                  facts.by(*first), facts.by(*last), facts.text(*last->result)),
      {first->id, last->id}};
}

// What became of `value` by `x`, who left something else.
std::string overwritten(const Facts& facts, Value value, const Fact& x) {
  if (x.role == Role::kRemove)
    return fmt::format("{} was removed by {} before it began", facts.text(value), facts.name(x));
  if (value.is_null() && family_of(facts) == Family::kMap)  // whose null is that nothing is there
    return fmt::format("{} had left a value there before it began, and no operation removed it",
                       facts.name(x));
  return fmt::format("{} was overwritten by {} before it began", facts.text(value), facts.name(x));
}

bool starts_with(const Facts& facts, Value value) {
  const Value initial = facts.bound().initial();
  if (family_of(facts) == Family::kRegister) return initial == value;
  return value.is_null() || !initial.is_null();  // a map: what it holds at first is not looked up
}

// Presence in a set as an operation found it or left it; none where it says nothing.
std::optional<bool> present_after(const Fact& fact) {
  if (!fact.result) return std::nullopt;
  const bool yes = fact.result->is_true();
  return fact.role == Role::kInsert || (fact.role == Role::kContains && yes);
}

}  // namespace

std::optional<Sentence> tell_cell(const Facts& facts) {
  const Fact& o = facts.impossible();
  if (o.role != Role::kRead) return std::nullopt;
  const Value value = *o.result;
  const bool initially = starts_with(facts, value);
  const auto writers =
      std::ranges::count_if(facts.others(), [&](const Fact& f) { return leaves(facts, f) == value; });
  if (writers == 0 && !initially) {
    return Sentence{fmt::format("{} had not been written when it returned", facts.text(value))};
  }
  if (const Fact* x = overwriter(facts, value)) {
    return Sentence{overwritten(facts, value, *x), {x->id}};
  }
  return writers == 1 && !initially ? seen_before_another(facts, value) : std::nullopt;
}

// The other way round from what it says during the whole call: so it was before, and nobody changed it until it returned.
std::optional<Sentence> tell_set(const Facts& facts) {
  const Fact& o = facts.impossible();
  const bool yes = o.result->is_true();
  const bool claims_present = o.role == Role::kInsert ? !yes : yes;
  const Role change = claims_present ? Role::kInsert : Role::kRemove;  // what would make it true
  const std::string value = facts.text(facts.last_argument(o));
  const auto makes_it_true = [&](const Fact& f) { return f.role == change && !f.failed(); };
  const bool empty_at_first = facts.bound().initial().is_null();
  if (claims_present && empty_at_first && std::ranges::none_of(facts.others(), makes_it_true)) {
    return Sentence{fmt::format("{} had not been added when it returned", value)};
  }
  const std::size_t gone = all_returned(facts, makes_it_true);
  const Fact* x = nullptr;  // who said otherwise after all that, before it began
  for (const Fact& f : facts.others()) {
    if (f.in_core && f.call >= gone && f.before(o) && present_after(f) == !claims_present) x = &f;
  }
  if (x == nullptr) return std::nullopt;
  const bool changed_it = x->role == (claims_present ? Role::kRemove : Role::kInsert) && x->result->is_true();
  const std::string_view before =
      claims_present ? (changed_it ? "removed" : "missing") : (changed_it ? "added" : "there");
  return Sentence{fmt::format("{} was {} before it began ({}) and not {} until it had returned", value,
                              before, facts.name(*x), claims_present ? "added again" : "removed"),
                  {x->id}};
}

std::optional<Sentence> tell_mutex(const Facts& facts) {
  const Fact& o = facts.impossible();
  const Value process = facts.process(o);
  if (facts.bound().initial() == process || o.failed()) return std::nullopt;
  if (o.role == Role::kRelease) {
    const Fact* last = nullptr;  // what it did to the lock before
    for (const Fact& f : facts.others()) {
      if (facts.process(f) != process || f.failed()) continue;
      if (!f.before(o)) return std::nullopt;  // at equal times its operations touch
      last = &f;
    }
    if (last != nullptr && last->role != Role::kRelease) return std::nullopt;
    return Sentence{fmt::format("{} did not hold the lock", facts.by(o))};
  }
  absl::flat_hash_map<Value, std::size_t> released;  // when each process last called release
  for (const Fact& f : facts.others()) {
    if (f.role == Role::kRelease) released[facts.process(f)] = f.call;
  }
  for (const Fact& x : facts.others()) {
    if (!x.in_core || x.role == Role::kRelease || x.failed() || !x.before(o)) continue;
    const auto it = released.find(facts.process(x));
    if (it != released.end() && it->second > x.call) continue;
    return Sentence{fmt::format("{} held the lock during the whole call ({})", facts.by(x), facts.name(x)),
                    {x.id}};
  }
  return std::nullopt;
}

// All additions that must have happened, and those that may have: the least and the most it could find.
std::optional<Sentence> tell_counter(const Facts& facts) {
  const Fact& o = facts.impossible();
  const Values& values = facts.bound().history().values();
  if (o.role == Role::kAdd || values.kind(*o.result) != ValueKind::kInteger) return std::nullopt;
  __extension__ using Wide = __int128;
  const Value initial = facts.bound().initial();
  Wide least = initial.is_null() ? 0 : values.as_integer(initial);
  Wide most = least;
  for (const Fact& f : facts.others()) {
    if (f.role == Role::kRead) continue;
    const Wide n = values.as_integer(facts.last_argument(f));
    if (f.before(o) || n < 0) least += n;
    if (f.before(o) || n > 0) most += n;
  }
  constexpr Wide kLimit = std::numeric_limits<std::int64_t>::max();
  if (least < -kLimit || most > kLimit) return std::nullopt;  // the sum wraps around
  const std::int64_t found = values.as_integer(*o.result);
  if (found < least) {
    return Sentence{fmt::format("what had been added before it began makes at least {}",
                                static_cast<std::int64_t>(least))};
  }
  if (found > most) {
    return Sentence{fmt::format("what had been added when it returned makes at most {}",
                                static_cast<std::int64_t>(most))};
  }
  return std::nullopt;
}

// What was appended stays, until somebody puts something else.
std::optional<Sentence> tell_kv_append(const Facts& facts) {
  const Fact& o = facts.impossible();
  if (o.role != Role::kRead) return std::nullopt;
  const Values& values = facts.bound().history().values();
  const std::string_view found = values.as_string(*o.result);
  const std::size_t gone = all_returned(facts, [](const Fact& f) { return f.role == Role::kWrite; });
  const Fact* missing = nullptr;
  for (const Fact& x : facts.others()) {
    if (!x.in_core || x.role != Role::kAppend || !x.before(o) || x.call < gone) continue;
    const bool there = found.find(values.as_string(facts.last_argument(x))) != std::string_view::npos;
    if (!there) missing = &x;
  }
  if (missing == nullptr) return std::nullopt;
  return Sentence{fmt::format("{} had returned before it began, and is missing", facts.name(*missing)),
                  {missing->id}};
}

}  // namespace plumb
