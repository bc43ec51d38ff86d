#include "spec/etcd_foresight.hpp"

#include <algorithm>

namespace plumb {
namespace {

bool is_same_range(const EtcdStep& a, const EtcdStep& b) {
  return a.key == b.key && a.end == b.end && a.limit == b.limit && a.keys_only == b.keys_only;
}

// How many are above `low`, and not above `high`.
std::int64_t count_between(const std::vector<std::int64_t>& sorted, std::int64_t low, std::int64_t high) {
  return std::ranges::upper_bound(sorted, high) - std::ranges::upper_bound(sorted, low);
}

std::span<const EtcdStep> taken_steps(const EtcdRequest& request, const EtcdAnswer& answer) {
  return answer.succeeded.value_or(true) ? request.on_success : request.on_failure;
}

}  // namespace

EtcdForesight::EtcdForesight(std::span<const Lookahead> operations, std::uint32_t until, const Values& values)
    : all_(operations.empty()) {
  find_revokes(operations, values);
  find_keys_of_leases(operations, values);
  for (const Lookahead& operation : operations) {
    const auto request = etcd_request(operation.call, values);
    if (!request) continue;
    if (request->kind == EtcdKind::kRange && request->number != 0) asked_.insert(request->number);
    count_puts(*request);
    const bool has_to = operation.ret < until && operation.result;
    const auto answer = has_to ? etcd_answer(*request, *operation.result, values) : std::nullopt;
    if (answer) take(*request, *answer, operation.ret, values);
    take_changes(*request, answer, operation.ret);
  }
  sort_stretches();
  sort_changes();
  find_only_writes(operations, values);
}

void EtcdForesight::find_revokes(std::span<const Lookahead> operations, const Values& values) {
  for (const Lookahead& operation : operations) {
    if (static_cast<EtcdKind>(operation.call.operation) != EtcdKind::kLeaseRevoke) continue;
    const auto request = etcd_request(operation.call, values);
    if (!request) continue;
    keys_of_leases_.try_emplace(request->number);
    const auto [it, is_new] = revoke_called_after_.try_emplace(request->number, operation.returns_before);
    it->second = std::min(it->second, operation.returns_before);
  }
}

void EtcdForesight::find_keys_of_leases(std::span<const Lookahead> operations, const Values& values) {
  for (const Lookahead& operation : operations) {
    const auto request = etcd_request(operation.call, values);
    if (!request) continue;
    for (const auto* steps : {&request->on_success, &request->on_failure}) {
      for (const EtcdStep& step : *steps) {
        const auto keys = keys_of_leases_.find(step.lease);
        if (step.lease == 0 || keys == keys_of_leases_.end()) continue;
        if (std::ranges::find(keys->second, step.key) == keys->second.end()) keys->second.push_back(step.key);
      }
    }
  }
}

bool EtcdForesight::is_certain(const EtcdStep& put, std::uint32_t ret) const {
  const auto revoke = revoke_called_after_.find(put.lease);
  return put.lease == 0 || revoke == revoke_called_after_.end() || ret < revoke->second;
}

void EtcdForesight::take(const EtcdRequest& request, const EtcdAnswer& answer, std::uint32_t ret,
                         const Values& values) {
  if (!answer.revision) return;
  const std::int64_t revision = *answer.revision;
  if (request.kind == EtcdKind::kPut) take_step(request.on_success[0], kNull, revision, ret, values);
  if (!answer.results) return;
  if (request.kind == EtcdKind::kRange) {
    const std::int64_t seen = request.number == 0 ? revision : request.number;
    see(request.on_success[0], (*answer.results)[0], seen, values);
    return;
  }
  const auto steps = taken_steps(request, answer);
  const bool only_reads = request.kind == EtcdKind::kReadTxn;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto later = steps.subspan(i + 1);
    const bool again = std::ranges::any_of(later, [&](const EtcdStep& step) {
      return step.kind != EtcdStep::Kind::kRange && step.key == steps[i].key;
    });
    if (only_reads || !again) take_step(steps[i], (*answer.results)[i], revision, ret, values);
  }
  if (!only_reads) return;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].kind == EtcdStep::Kind::kRange) see(steps[i], (*answer.results)[i], revision, values);
  }
}

// What a step leaves behind at a revision.
void EtcdForesight::take_step(const EtcdStep& step, Value result, std::int64_t revision, std::uint32_t ret,
                              const Values& values) {
  if (step.kind == EtcdStep::Kind::kPut && is_certain(step, ret))
    add(step.key, {revision, revision, true, step.value, true, {}});
  const bool deletes = step.kind == EtcdStep::Kind::kDelete && values.kind(result) == ValueKind::kInteger;
  if (deletes) add(step.key, {revision, revision, false, {}, false, {}});
}

void EtcdForesight::see(const EtcdStep& range, Value result, std::int64_t revision, const Values& values) {
  const auto found = etcd_found(result, values);
  if (!found) return;
  std::vector<Sight>& sights = sights_[revision];
  const bool is_known = std::ranges::any_of(
      sights, [&](const Sight& sight) { return is_same_range(sight.range, range) && sight.found == result; });
  if (is_known) return;
  sights.push_back({range, result});
  for (const Value item : found->items) {
    const auto kv = etcd_key_value(item, values);
    if (kv) add(kv->key, {kv->mod, revision, true, kv->value, !range.keys_only, kv->version});
  }
}

// Those that begin at the same revision become one, as long as they do not contradict each other.
void EtcdForesight::sort_stretches() {
  for (auto& [key, stretches] : stretches_) {
    std::ranges::sort(stretches, [](const Stretch& a, const Stretch& b) {
      return std::pair(a.from, a.to) < std::pair(b.from, b.to);
    });
    std::vector<Stretch> joined;
    for (const Stretch& next : stretches) {
      const bool joins = !joined.empty() && joined.back().from == next.from && joined.back().is_there &&
                         next.is_there && joined.back().knows_value == next.knows_value &&
                         joined.back().value == next.value && joined.back().version == next.version;
      if (joins) {
        joined.back().to = std::max(joined.back().to, next.to);
      } else {
        joined.push_back(next);
      }
    }
    stretches = std::move(joined);
  }
}

void EtcdForesight::take_changes(const EtcdRequest& request, const std::optional<EtcdAnswer>& answer,
                                 std::uint32_t ret) {
  const auto revision = answer ? answer->revision : std::nullopt;
  const bool is_step =
      request.kind == EtcdKind::kPut || request.kind == EtcdKind::kDelete || request.kind == EtcdKind::kTxn;
  if (!is_step) return take_unsure(request, revision, {});
  const bool is_known = revision && (answer->results || request.kind == EtcdKind::kPut);
  if (!is_known) {
    take_unsure(request, revision, request.on_success);
    return take_unsure(request, revision, request.on_failure);
  }
  const auto steps = taken_steps(request, *answer);
  if (!std::ranges::all_of(steps, [&](const EtcdStep& step) { return is_certain(step, ret); }))
    return take_unsure(request, revision, steps);
  bool changes = false;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const bool puts = steps[i].kind == EtcdStep::Kind::kPut;
    const bool deletes = steps[i].kind == EtcdStep::Kind::kDelete && (*answer->results)[i] != Value::small(0);
    if (puts) changes_[steps[i].key].puts.push_back(*revision);
    if (deletes) changes_[steps[i].key].deletes.push_back(*revision);
    if (puts && steps[i].lease != 0) {
      std::int64_t& last = last_use_[steps[i].lease];
      last = std::max(last, *revision);
    }
    changes = changes || puts || deletes;
  }
  if (changes) made_.push_back(*revision);
}

// What may change a key, at a revision or, where that is not known, anywhere.
void EtcdForesight::take_unsure(const EtcdRequest& request, std::optional<std::int64_t> revision,
                                std::span<const EtcdStep> steps) {
  const auto may_delete = [&](Value key) {
    Changes& changes = changes_[key];
    if (revision) {
      changes.unsure_deletes.push_back(*revision);
    } else {
      changes.is_deleted_anywhere = true;
    }
  };
  if (request.kind == EtcdKind::kLeaseRevoke) {
    for (const Value key : keys_of_leases_[request.number]) may_delete(key);
  }
  for (const EtcdStep& step : steps) {
    if (step.kind == EtcdStep::Kind::kDelete) may_delete(step.key);
    if (step.kind != EtcdStep::Kind::kPut) continue;
    Changes& changes = changes_[step.key];
    if (revision) {
      changes.unsure_puts.push_back(*revision);
    } else {
      ++changes.puts_anywhere;
    }
  }
}

void EtcdForesight::count_puts(const EtcdRequest& request) {
  for (const auto* steps : {&request.on_success, &request.on_failure}) {
    for (const EtcdStep& step : *steps) {
      const auto same = std::ranges::count_if(*steps, [&](const EtcdStep& other) {
        return other.kind == EtcdStep::Kind::kPut && other.key == step.key;
      });
      most_puts_ = std::max<std::int64_t>(most_puts_, same);
    }
  }
}

void EtcdForesight::sort_changes() {
  std::ranges::sort(made_);
  made_.erase(std::unique(made_.begin(), made_.end()), made_.end());
  for (auto& [key, changes] : changes_) {
    std::ranges::sort(changes.puts);
    std::ranges::sort(changes.deletes);
    std::ranges::sort(changes.unsure_puts);
    std::ranges::sort(changes.unsure_deletes);
  }
}

// Where a value was put once only, by whomever, and has been seen: it came with that revision and no other.
void EtcdForesight::find_only_writes(std::span<const Lookahead> operations, const Values& values) {
  absl::flat_hash_map<std::pair<Value, Value>, std::uint32_t> puts;
  for (const Lookahead& operation : operations) {
    const auto request = etcd_request(operation.call, values);
    if (!request) continue;
    for (const auto* steps : {&request->on_success, &request->on_failure}) {
      for (const EtcdStep& step : *steps) {
        if (step.kind == EtcdStep::Kind::kPut) ++puts[{step.key, step.value}];
      }
    }
  }
  for (const auto& [key, stretches] : stretches_) {
    for (const Stretch& stretch : stretches) {
      if (!stretch.is_there || !stretch.knows_value) continue;
      const auto put = puts.find({key, stretch.value});
      if (put != puts.end() && put->second == 1) only_write_[{key, stretch.value}] = stretch.from;
    }
  }
}

bool EtcdForesight::fits(const EtcdState& state, Value key, const Stretch& stretch,
                         const Values& values) const {
  const EtcdEntry* entry = state.now().find(key, values);
  if (!stretch.is_there) return entry == nullptr;
  return entry != nullptr && entry->mod == stretch.from &&
         (!stretch.knows_value || entry->value == stretch.value) &&
         (!stretch.version || entry->version == *stretch.version);
}

// Whether the key can have the version that is seen later, counting what is certain and what may be. A version counts the puts since the
// key was made, so it grows by those that are certain and by at most as many as there are revisions that nobody is known to have made.
bool EtcdForesight::can_reach(const EtcdState& state, Value key, const Stretch& stretch,
                              const Values& values) const {
  const std::int64_t now = state.now().number;
  const EtcdEntry* entry = state.now().find(key, values);
  const std::int64_t version = entry == nullptr ? 0 : entry->version;
  const std::int64_t open = stretch.from - now - count_between(made_, now, stretch.from);
  static const Changes kNone;
  const auto found = changes_.find(key);
  const Changes& changes = found == changes_.end() ? kNone : found->second;
  const auto between = [&](const std::vector<std::int64_t>& revisions) {
    return count_between(revisions, now, stretch.from);
  };
  const std::int64_t puts = between(changes.puts);
  const std::int64_t unsure = between(changes.unsure_puts) + changes.puts_anywhere;
  const std::int64_t most = puts + std::min(open * most_puts_, unsure);
  if (version + puts <= *stretch.version && *stretch.version <= version + most) return true;
  const bool may_be_deleted =
      between(changes.deletes) > 0 ||
      (open > 0 && (changes.is_deleted_anywhere || between(changes.unsure_deletes) > 0));
  return may_be_deleted && *stretch.version <= most;
}

bool EtcdForesight::contradicts(const EtcdState& state, const Values& values) const {
  const std::int64_t revision = state.now().number;
  for (const auto& [key, stretches] : stretches_) {
    auto it = std::ranges::upper_bound(stretches, revision, {}, &Stretch::from);
    auto seen = it;
    while (seen != stretches.end() && seen->is_there && !seen->version) ++seen;
    if (seen != stretches.end() && seen->is_there && !can_reach(state, key, *seen, values)) return true;
    // Stretches of a key that do not contradict each other do not overlap, but for those that begin together.
    std::optional<std::int64_t> from;
    while (it != stretches.begin()) {
      --it;
      if (from && it->from != *from) break;
      from = it->from;
      if (it->to >= revision && !fits(state, key, *it, values)) return true;
    }
  }
  const bool misses_a_lease = std::ranges::any_of(state.revoked(), [&](std::int64_t lease) {
    const auto last = last_use_.find(lease);
    return last != last_use_.end() && last->second > revision;
  });
  if (misses_a_lease) return true;
  if (const auto at = sights_.find(revision); at != sights_.end()) {
    for (const Sight& sight : at->second) {
      if (!etcd_shows(state.now(), sight.range, *etcd_found(sight.found, values), values)) return true;
    }
  }
  return std::ranges::any_of(state.now().entries, [&](const EtcdEntry& entry) {
    if (entry.mod != revision) return false;
    const auto only = only_write_.find({entry.key, entry.value});
    return only != only_write_.end() && only->second != revision;
  });
}

}  // namespace plumb
