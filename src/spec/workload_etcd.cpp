// What clients do with etcd: puts, deletes, ranges, transactions, leases.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "spec/workload.hpp"

namespace plumb {
namespace {

class EtcdWorkload final : public Workload {
 public:
  explicit EtcdWorkload(const Setting& setting)
      : s_(setting), put_(setting.values.string("put")), range_(setting.values.string("range")) {}

  std::optional<Request> choose(std::size_t slot, const Progress&) override {
    const auto dice = s_.rng.below(20);
    const Value key = any_key();
    if (dice < 5) return Request{slot, kPut, {key, any_value()}};
    if (dice < 7) return Request{slot, kDelete, {key}};
    if (dice < 11) return Request{slot, kRange, {key}};
    if (dice < 13) return Request{slot, kRange, {text("k"), text("l"), Value::small(3)}};
    if (dice < 17) return Request{slot, dice < 15 ? kTxn : kReadTxn, transaction(dice < 15)};
    if (dice < 18 || granted_.empty())
      return Request{slot, kLeaseGrant, {s_.values.integer(static_cast<std::int64_t>(++last_lease_))}};
    const Value lease = s_.values.integer(granted_[s_.rng.below(granted_.size())]);
    if (dice < 19) return Request{slot, kPut, {key, any_value(), lease}};
    return Request{slot, kLeaseRevoke, {lease}};
  }

  // Nobody gets to know the number of such a lease.
  void called(const Request& request, bool lost) override {
    if (lost && request.operation == kLeaseGrant) unknown_.insert(s_.values.as_integer(request.args[0]));
  }

  std::optional<Value> apply(OperationId, const Request& request) override {
    const Arguments& args = request.args;
    switch (request.operation) {
      case kRange:
        return answer(found(args[0], args.all().size() > 1));
      case kDelete:
        return answer(s_.values.integer(erase(args[0])));
      case kTxn:
      case kReadTxn:
        return run(args);
      case kLeaseGrant:
        return grant(s_.values.as_integer(args[0]));
      case kLeaseRevoke:
        return revoke(s_.values.as_integer(args[0]));
      default:
        put(args[0], args[1], args.all().size() > 2 ? s_.values.as_integer(args[2]) : 0);
        return s_.values.integer(revision_);
    }
  }

  // A stale read: a key is put, and right after that somebody is told of a revision from before.
  void spoil(Script& script) override {
    const Value key = any_key();
    const Value written = script.row(script.run_anywhere(kPut, {key, any_value()})).result;
    const OperationId read = script.run_anywhere(kRange, {key});
    const std::vector<Value> seen = items_of(script.row(read).result);
    const Value before = s_.values.integer(s_.values.as_integer(written) - 1);
    script.record(read, s_.values.array(std::array{before, seen[1]}));
  }

 private:
  enum : std::uint32_t { kRange, kPut, kDelete, kTxn, kReadTxn, kLeaseGrant, kLeaseRevoke };
  struct Entry {
    Value key;
    Value value;
    std::int64_t mod = 0;
    std::int64_t version = 0;
    std::int64_t lease = 0;
  };

  Value text(std::string_view content) { return s_.values.string(content); }
  Value any_key() { return text(fmt::format("k{}", s_.rng.below(s_.options.keys))); }
  Value any_value() { return text(fmt::format("v{}", s_.rng.below(s_.options.values))); }

  // Puts one key and reads another; or reads two.
  Arguments transaction(bool writes) {
    const Value key = any_key();
    const Value first = writes ? s_.values.array(std::array{put_, key, any_value()})
                               : s_.values.array(std::array{range_, key});
    const Value steps = s_.values.array(std::array{first, s_.values.array(std::array{range_, any_key()})});
    return {s_.values.array({}), steps, s_.values.array({})};
  }
  // In a place of their own, as the table grows.
  [[nodiscard]] std::vector<Value> items_of(Value list) const {
    const auto items = s_.values.as_array(list);
    return {items.begin(), items.end()};
  }

  Value run(const Arguments& args) {
    std::vector<Value> results;
    for (const Value step : items_of(args[1])) {
      const std::vector<Value> parts = items_of(step);
      const bool writes = parts[0] == put_;
      if (writes) put(parts[1], parts[2], 0);
      results.push_back(writes ? kNull : found(parts[1], false));
    }
    return s_.values.array(std::array{s_.values.integer(revision_), kTrue, s_.values.array(results)});
  }

  Value answer(Value result) { return s_.values.array(std::array{s_.values.integer(revision_), result}); }

  // [count, the first three]
  Value found(Value key, bool all) {
    constexpr std::size_t kLimit = 3;
    std::vector<Value> items;
    std::int64_t count = 0;
    auto it = all ? entries_.begin() : entries_.find(std::string(s_.values.as_string(key)));
    for (; it != entries_.end(); ++it) {
      const Entry& entry = it->second;
      ++count;
      if (items.size() < kLimit) {
        items.push_back(s_.values.array(std::array{entry.key, entry.value, s_.values.integer(entry.mod),
                                                   s_.values.integer(entry.version)}));
      }
      if (!all) break;
    }
    return s_.values.array(std::array{s_.values.integer(count), s_.values.array(items)});
  }

  void put(Value key, Value value, std::int64_t lease) {
    if (lease != 0 && std::ranges::find(granted_, lease) == granted_.end()) return;
    Entry& entry = entries_[std::string(s_.values.as_string(key))];
    entry = {key, value, ++revision_, entry.version + 1, lease};
  }
  std::int64_t erase(Value key) {
    const auto erased = entries_.erase(std::string(s_.values.as_string(key)));
    revision_ += erased == 0 ? 0 : 1;
    return static_cast<std::int64_t>(erased);
  }
  Value grant(std::int64_t lease) {
    if (!unknown_.contains(lease)) granted_.push_back(lease);
    return s_.values.integer(revision_);
  }
  Value revoke(std::int64_t lease) {
    std::erase(granted_, lease);
    const auto erased =
        std::erase_if(entries_, [&](const auto& entry) { return entry.second.lease == lease; });
    revision_ += erased == 0 ? 0 : 1;
    return s_.values.integer(revision_);
  }

  Setting s_;
  Value put_;
  Value range_;
  std::map<std::string, Entry> entries_;
  std::vector<std::int64_t> granted_;  // and not given back
  std::set<std::int64_t> unknown_;
  std::uint64_t last_lease_ = 0;
  std::int64_t revision_ = 1;
};

}  // namespace

std::unique_ptr<Workload> etcd_workload(const Setting& setting) {
  return std::make_unique<EtcdWorkload>(setting);
}

}  // namespace plumb
