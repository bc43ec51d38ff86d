// The sentence: who is impossible, and why. What is said in the terms of one kind of object is said only where its pattern
// holds in the whole history, and then it alone makes the return impossible; and only if whom it has to name is in the core.
// Otherwise what the core allowed is listed.
#include "explain/narrative.hpp"

#include <algorithm>
#include <map>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "proof/rules.hpp"

namespace plumb {
namespace {

constexpr std::size_t kLongestValue = 60;  // bytes
constexpr std::size_t kMostAllowed = 6;

// Cut where a character ends.
std::string shortened(std::string text) {
  if (text.size() <= kLongestValue) return text;
  std::size_t end = kLongestValue;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "…";
}

// "0, 1 or 4".
std::string alternatives(const std::vector<std::string>& items, bool complete) {
  const std::size_t shown = std::min(items.size(), kMostAllowed);
  const bool more = !complete || shown < items.size();
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) {
    out += i == 0 ? "" : i + 1 == shown && !more ? " or " : ", ";
    out += shortened(items[i]);
  }
  return out + (more ? " or others" : "");
}

Sentence general(const Facts& facts, const Core& core, const DeadEnd& stuck) {
  const Fact& o = facts.impossible();
  const std::string when = core.events.size() <= 2 ? "" : "after the other operations shown, ";
  if (stuck.allowed.empty())
    return {when + (stuck.allowed_complete ? "it cannot happen" : "nothing explains it")};
  if (facts.bound().spec(o.id).returns == Returns::kNothing) return {when + "nothing explains it"};
  Sentence told{fmt::format("{}`{}` can return {}, not {}", when, facts.bound().history().function_name(o.id),
                            alternatives(stuck.allowed, stuck.allowed_complete), facts.text(*o.result))};
  if (core.too_late) {
    const Fact& last = facts.fact(*core.too_late);
    told.text += fmt::format(", for which it was too late once {} had returned", facts.name(last));
    told.named.push_back(last.id);
  }
  return told;
}

}  // namespace

Facts::Facts(const BoundHistory& history, OperationId impossible, std::span<const OperationId> core)
    : history_(history) {
  const History& h = history.history();
  const auto key = history.model().key(history.call(impossible));
  absl::flat_hash_map<OperationId, std::size_t> number;
  for (std::size_t at = 0; at < h.events().size(); ++at) {
    const OperationId id = h.events()[at].operation();
    if (h.events()[at].is_return()) {
      if (const auto it = number.find(id); it != number.end()) others_[it->second].ret = at;
      continue;
    }
    if (h.object(id) != h.object(impossible) || history.model().key(history.call(id)) != key) continue;
    number[id] = others_.size();
    others_.push_back({id, history.role(id), at, Fact::kNever, history.result(id),
                       core.empty() || std::ranges::binary_search(core, id)});
  }
  impossible_ = others_[number.at(impossible)];
  std::erase_if(others_, [&](const Fact& f) { return f.id == impossible; });
  const auto after = std::ranges::find_if(others_, [&](const Fact& f) { return f.call > impossible_.ret; });
  later_.assign(after, others_.end());
  others_.erase(after, others_.end());
}

const Fact& Facts::fact(OperationId id) const { return *std::ranges::find(others_, id, &Fact::id); }

std::string Facts::text(Value value) const { return shortened(history_.history().values().to_json(value)); }

std::string Facts::by(const Fact& fact) const { return fmt::format("process {}", text(process(fact))); }

std::string Facts::name(const Fact& fact) const {
  const History& h = history_.history();
  const auto args = h.args(fact.id);
  std::string out = "`" + h.function_name(fact.id);
  for (std::size_t i = 0; i < args.size(); ++i) out += (i == 0 ? "(" : ", ") + text(args[i]);
  if (!args.empty()) out += ")";
  if (history_.spec(fact.id).returns != Returns::kNothing && fact.result) out += " → " + text(*fact.result);
  return out + "` by " + by(fact);
}

// One line per family.
std::optional<Sentence> tell(const Facts& facts) {
  using Tell = std::optional<Sentence> (*)(const Facts&);
  static const std::map<Family, Tell> tellers = {
      {Family::kQueue, tell_collection}, {Family::kStack, tell_collection},
      {Family::kDeque, tell_collection}, {Family::kPriorityQueue, tell_collection},
      {Family::kRegister, tell_cell},    {Family::kMap, tell_cell},
      {Family::kSet, tell_set},          {Family::kMutex, tell_mutex},
      {Family::kCounter, tell_counter},  {Family::kKvAppend, tell_kv_append}};
  const auto it = tellers.find(facts.bound().family());
  return it == tellers.end() ? std::nullopt : it->second(facts);
}

Sentence narrate(const BoundHistory& history, const Core& core, const DeadEnd& stuck) {
  const Facts facts(history, core.impossible, operations_of(core.events));
  Sentence why = tell(facts).value_or(general(facts, core, stuck));
  why.text = fmt::format("{} is impossible: {}", facts.name(facts.impossible()), why.text);
  why.named.insert(why.named.begin(), core.impossible);
  return why;
}

}  // namespace plumb
