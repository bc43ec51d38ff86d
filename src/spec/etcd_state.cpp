#include "spec/etcd_state.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace plumb {
namespace {

bool key_before(Value a, Value b, const Values& values) { return values.as_string(a) < values.as_string(b); }

template <class Entries>
auto place_in(Entries& entries, Value key, const Values& values) {
  return std::lower_bound(entries.begin(), entries.end(), key, [&](const EtcdEntry& entry, Value wanted) {
    return key_before(entry.key, wanted, values);
  });
}

struct Found {
  std::int64_t count = 0;
  std::vector<EtcdEntry> entries;  // up to the limit
};

Found find(const std::vector<EtcdEntry>& entries, const EtcdStep& range, const Values& values) {
  constexpr std::string_view kAllAfter("\0", 1);
  Found found;
  const std::string_view end = range.end.is_null() ? std::string_view() : values.as_string(range.end);
  for (auto it = place_in(entries, range.key, values); it != entries.end(); ++it) {
    const bool is_wanted =
        end.empty() ? it->key == range.key : end == kAllAfter || values.as_string(it->key) < end;
    if (!is_wanted) break;
    ++found.count;
    if (range.limit != 0 && found.count > range.limit) continue;
    found.entries.push_back(*it);
    if (range.keys_only) found.entries.back().value = kNull;
  }
  return found;
}

bool is_same(std::span<const EtcdEntry> entries, std::span<const Value> items, const Values& values) {
  return std::ranges::equal(entries, items, [&](const EtcdEntry& entry, Value item) {
    const auto kv = etcd_key_value(item, values);
    return kv && kv->key == entry.key && kv->value == entry.value && kv->mod == entry.mod &&
           (!kv->version || *kv->version == entry.version);
  });
}

}  // namespace

bool etcd_shows(const EtcdRevision& revision, const EtcdStep& range, const EtcdFound& found,
                const Values& values) {
  const Found here = find(revision.entries, range, values);
  return here.count == found.count && is_same(here.entries, found.items, values);
}

EtcdRevision::~EtcdRevision() {
  std::shared_ptr<EtcdRevision> rest = std::move(before);
  while (rest && rest.use_count() == 1) {
    std::shared_ptr<EtcdRevision> next = std::move(rest->before);
    rest = std::move(next);
  }
}

const EtcdEntry* EtcdRevision::find(Value key, const Values& values) const {
  const auto it = place_in(entries, key, values);
  return it != entries.end() && it->key == key ? &*it : nullptr;
}

EtcdState::EtcdState() : now_(std::make_shared<EtcdRevision>()) {}

const EtcdRevision* EtcdState::at(std::int64_t revision) const {
  const EtcdRevision* found = now_.get();
  while (found != nullptr && found->number > revision) found = found->before.get();
  return found != nullptr && found->number == revision ? found : nullptr;
}

bool EtcdState::has_lease(std::int64_t lease) const { return !std::ranges::binary_search(revoked_, lease); }

void EtcdState::revoke(std::int64_t lease) {
  const auto at = std::ranges::lower_bound(revoked_, lease);
  if (at == revoked_.end() || *at != lease) revoked_.insert(at, lease);
}

void EtcdState::advance(std::vector<EtcdEntry> entries, bool keep) {
  auto next = std::make_shared<EtcdRevision>();
  next->number = now_->number + 1;
  next->entries = std::move(entries);
  next->before = keep ? now_ : now_->before;
  next->hash = absl::HashOf(next->number, next->entries, next->before ? next->before->hash : 0);
  now_ = std::move(next);
}

// Two states share their past up to where they parted.
bool operator==(const EtcdState& a, const EtcdState& b) {
  if (a.compacted_ != b.compacted_ || a.revoked_ != b.revoked_) return false;
  const EtcdRevision* one = a.now_.get();
  const EtcdRevision* other = b.now_.get();
  while (one != other) {
    if (one == nullptr || other == nullptr || one->hash != other->hash || one->number != other->number ||
        one->entries != other->entries)
      return false;
    one = one->before.get();
    other = other->before.get();
  }
  return true;
}

EtcdRun::EtcdRun(const EtcdState& state, const EtcdRequest& request, const Values& values)
    : state_(state), request_(request), values_(values) {
  switch (request.kind) {
    case EtcdKind::kRange:
      run_range();
      break;
    case EtcdKind::kPut:
    case EtcdKind::kDelete:
    case EtcdKind::kTxn:
      run_steps();
      break;
    case EtcdKind::kReadTxn:
      run_steps();
      is_possible_ = !changes_keys_;
      break;
    case EtcdKind::kLeaseRevoke:
      run_revoke();
      break;
    case EtcdKind::kCompact:
      run_compact();
      break;
    case EtcdKind::kLeaseGrant:
    case EtcdKind::kDefragment:
      break;
  }
}

void EtcdRun::run_range() {
  const std::int64_t revision = request_.number == 0 ? state_.now().number : request_.number;
  const EtcdRevision* asked = state_.at(revision);
  if (revision < state_.compacted() && revision != state_.now().number) {
    word_ = "compacted";
  } else if (revision > state_.now().number) {
    word_ = "future";
  } else if (asked == nullptr) {
    is_possible_ = false;  // it is not kept
  } else {
    Found found = find(asked->entries, request_.on_success[0], values_);
    results_.push_back({EtcdStep::Kind::kRange, found.count, std::move(found.entries)});
  }
}

void EtcdRun::run_steps() {
  succeeded_ = std::ranges::all_of(request_.conditions, [&](const EtcdCondition& c) { return holds(c); });
  const std::vector<EtcdStep>& steps = succeeded_ ? request_.on_success : request_.on_failure;
  const auto reads = [](const EtcdStep& step) { return step.kind == EtcdStep::Kind::kRange; };
  const bool only_reads = std::ranges::all_of(steps, reads);
  if (!only_reads) entries_ = state_.now().entries;
  for (const EtcdStep& step : steps) {
    Result& result = results_.emplace_back();
    result.kind = step.kind;
    if (step.kind == EtcdStep::Kind::kPut) put(step);
    if (step.kind == EtcdStep::Kind::kDelete) result.number = erase(step.key);
    if (!reads(step)) continue;
    Found found = find(only_reads ? state_.now().entries : entries_, step, values_);
    result.number = found.count;
    result.entries = std::move(found.entries);
  }
}

bool EtcdRun::holds(const EtcdCondition& condition) const {
  const EtcdEntry* entry = state_.now().find(condition.key, values_);
  const EtcdEntry none;
  if (entry == nullptr) entry = &none;
  return (condition.of_version ? entry->version : entry->mod) == condition.expected;
}

std::vector<EtcdEntry>::iterator EtcdRun::place(Value key) { return place_in(entries_, key, values_); }

void EtcdRun::put(const EtcdStep& step) {
  if (step.lease != 0 && !state_.has_lease(step.lease)) return;
  auto at = place(step.key);
  if (at == entries_.end() || at->key != step.key) at = entries_.insert(at, EtcdEntry{step.key, {}, 0, 0, 0});
  *at = {step.key, step.value, state_.now().number + 1, at->version + 1, step.lease};
  changes_keys_ = true;
}

std::int64_t EtcdRun::erase(Value key) {
  const auto at = place(key);
  if (at == entries_.end() || at->key != key) return 0;
  entries_.erase(at);
  changes_keys_ = true;
  return 1;
}

void EtcdRun::run_revoke() {
  entries_ = state_.now().entries;
  const auto of_lease = [&](const EtcdEntry& entry) {
    return entry.lease == request_.number && request_.number != 0;
  };
  changes_keys_ = std::erase_if(entries_, of_lease) != 0;
}

void EtcdRun::run_compact() {
  if (request_.number <= state_.compacted()) {
    word_ = "compacted";
  } else if (request_.number > state_.now().number) {
    word_ = "future";
  }
}

bool EtcdRun::agrees(const EtcdAnswer& recorded) const {
  const bool compacts = request_.kind == EtcdKind::kCompact;
  if (recorded.word) {
    return word_.empty() ? compacts && *recorded.word == kTrue
                         : *recorded.word != kTrue && values_.as_string(*recorded.word) == word_;
  }
  if (!recorded.revision) return true;
  if (!word_.empty()) return false;
  if (*recorded.revision != state_.now().number + (changes_keys_ ? 1 : 0)) return false;
  if (!recorded.results) return true;
  if (recorded.succeeded && *recorded.succeeded != succeeded_) return false;
  return std::ranges::equal(results_, *recorded.results,
                            [&](const Result& result, Value value) { return agrees(result, value); });
}

bool EtcdRun::agrees(const Result& result, Value recorded) const {
  if (result.kind == EtcdStep::Kind::kPut) return recorded.is_null();
  if (result.kind == EtcdStep::Kind::kDelete) {
    return values_.kind(recorded) == ValueKind::kInteger && values_.as_integer(recorded) == result.number;
  }
  const auto found = etcd_found(recorded, values_);
  return found && found->count == result.number && is_same(result.entries, found->items, values_);
}

Value EtcdRun::to_value(const Result& result, Values& values) {
  if (result.kind == EtcdStep::Kind::kPut) return kNull;
  if (result.kind == EtcdStep::Kind::kDelete) return values.integer(result.number);
  std::vector<Value> items;
  for (const EtcdEntry& entry : result.entries) {
    items.push_back(values.array(
        std::array{entry.key, entry.value, values.integer(entry.mod), values.integer(entry.version)}));
  }
  return values.array(std::array{values.integer(result.number), values.array(items)});
}

Value EtcdRun::answer(Values& values) const {
  if (!word_.empty()) return values.string(word_);
  const Value revision = values.integer(state_.now().number + (changes_keys_ ? 1 : 0));
  switch (request_.kind) {
    case EtcdKind::kTxn:
    case EtcdKind::kReadTxn: {
      std::vector<Value> results;
      for (const Result& result : results_) results.push_back(to_value(result, values));
      return values.array(std::array{revision, Value::boolean(succeeded_), values.array(results)});
    }
    case EtcdKind::kRange:
    case EtcdKind::kDelete:
      return values.array(std::array{revision, to_value(results_[0], values)});
    case EtcdKind::kCompact:
      return kTrue;
    case EtcdKind::kDefragment:
      return kNull;
    case EtcdKind::kPut:
    case EtcdKind::kLeaseGrant:
    case EtcdKind::kLeaseRevoke:
      return revision;
  }
  return kNull;
}

void EtcdRun::apply(EtcdState& state, bool keep) {
  if (request_.kind == EtcdKind::kLeaseRevoke && request_.number != 0) state.revoke(request_.number);
  if (request_.kind == EtcdKind::kCompact && word_.empty()) state.compact(request_.number);
  if (changes_keys_) state.advance(std::move(entries_), keep);
}

}  // namespace plumb
