// What is asked of etcd, and what it answers, out of the values of a history: see the table in docs/models.md.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <plumb/model.hpp>

namespace plumb {

enum class EtcdKind : std::uint32_t {
  kRange,
  kPut,
  kDelete,
  kTxn,
  kReadTxn,  // a transaction that changed nothing
  kLeaseGrant,
  kLeaseRevoke,
  kCompact,
  kDefragment,
};

// One step of a transaction. A put, a delete and a range by themselves are transactions of one step.
struct EtcdStep {
  enum class Kind : std::uint8_t { kRange, kPut, kDelete };
  Kind kind = Kind::kRange;
  Value key = {};
  Value value = {};        // of a put
  std::int64_t lease = 0;  // of a put; 0: none
  Value end = {};          // of a range: all keys from `key` up to this one, without it; null: `key` alone
  std::int64_t limit = 0;  // 0: none
  bool keys_only = false;
};

// That a key was last changed at a revision, or so many times since it was made; 0: it is not there.
struct EtcdCondition {
  bool of_version = false;
  Value key = {};
  std::int64_t expected = 0;
};

struct EtcdRequest {
  EtcdKind kind = EtcdKind::kRange;
  std::vector<EtcdCondition> conditions;
  std::vector<EtcdStep> on_success;  // all conditions hold
  std::vector<EtcdStep> on_failure;
  std::int64_t number =
      0;  // the lease; the revision of a compaction, or that a range asks for (0: the current one)
};

// Nothing where the arguments are none of etcd's.
[[nodiscard]] std::optional<EtcdRequest> etcd_request(const Call& call, const Values& values);

// What is known of an answer. Null in a history: etcd has done it, and nobody saw more; a number alone: the revision.
struct EtcdAnswer {
  std::optional<std::int64_t> revision;
  std::optional<Value> word;                      // "compacted", "future", true
  std::optional<bool> succeeded;                  // of a transaction
  std::optional<std::span<const Value>> results;  // of each step, in the history's form
};

[[nodiscard]] std::optional<EtcdAnswer> etcd_answer(const EtcdRequest& request, Value result,
                                                    const Values& values);

// One key as a range returns it: [key, value, mod revision], and its version where that was recorded.
struct EtcdKeyValue {
  Value key;
  Value value;
  std::int64_t mod = 0;
  std::optional<std::int64_t> version;
};
[[nodiscard]] std::optional<EtcdKeyValue> etcd_key_value(Value item, const Values& values);

// What a range returns: how many keys there are, and those up to its limit.
struct EtcdFound {
  std::int64_t count = 0;
  std::span<const Value> items;
};
[[nodiscard]] std::optional<EtcdFound> etcd_found(Value result, const Values& values);

// What is wrong with a call or its result; nothing if they are in order.
[[nodiscard]] std::optional<std::string> etcd_fault(const Call& call, std::optional<Value> result,
                                                    const Values& values);

}  // namespace plumb
