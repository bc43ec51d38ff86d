// What etcd holds: every key at the current revision, what ranges may still ask for of earlier ones, leases, and what was compacted.
//
// As etcd's own model of its robustness tests has it (tests/robustness/model): every change makes one revision, whatever it changes;
// a put with a lease that is no more changes nothing; a lease does not run out by itself. Two things differ. A range of an earlier
// revision is answered, where etcd's model takes any answer. And a lease is there until it is revoked: that it was granted before it was
// named is not looked into (etcd makes up the numbers, so nobody can name one earlier), which leaves granting without any effect.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <absl/hash/hash.h>

#include <plumb/value.hpp>

#include "spec/etcd_request.hpp"

namespace plumb {

struct EtcdEntry {
  Value key;
  Value value;
  std::int64_t mod = 0;
  std::int64_t version = 0;
  std::int64_t lease = 0;
  friend bool operator==(const EtcdEntry&, const EtcdEntry&) = default;
  template <class H>
  friend H AbslHashValue(H h, const EtcdEntry& e) {
    return H::combine(std::move(h), e.key, e.value, e.mod, e.version, e.lease);
  }
};

// All keys at one revision. Never changes once it is shared.
struct EtcdRevision {
  std::int64_t number = 1;
  std::vector<EtcdEntry> entries;        // in the order of their keys
  std::shared_ptr<EtcdRevision> before;  // the latest earlier one that is kept
  std::size_t hash = 0;                  // of all of it

  EtcdRevision() = default;
  EtcdRevision(const EtcdRevision&) = default;
  EtcdRevision& operator=(const EtcdRevision&) = delete;
  ~EtcdRevision();  // one after the other: the past may be long

  [[nodiscard]] const EtcdEntry* find(Value key, const Values& values) const;
};

class EtcdState {
 public:
  EtcdState();

  [[nodiscard]] const EtcdRevision& now() const { return *now_; }
  // Null if it is no revision yet, or is not kept.
  [[nodiscard]] const EtcdRevision* at(std::int64_t revision) const;
  [[nodiscard]] std::int64_t compacted() const { return compacted_; }
  [[nodiscard]] const std::vector<std::int64_t>& revoked() const { return revoked_; }
  [[nodiscard]] bool has_lease(std::int64_t lease) const;

  void revoke(std::int64_t lease);
  void compact(std::int64_t revision) { compacted_ = revision; }
  // The next revision; the current one is kept for ranges, or not.
  void advance(std::vector<EtcdEntry> entries, bool keep);

  [[nodiscard]] std::size_t heap_bytes() const {
    return sizeof(EtcdRevision) + now_->entries.capacity() * sizeof(EtcdEntry) +
           revoked_.capacity() * sizeof(std::int64_t);
  }
  friend bool operator==(const EtcdState& a, const EtcdState& b);
  template <class H>
  friend H AbslHashValue(H h, const EtcdState& s) {
    return H::combine(std::move(h), s.now_->hash, s.compacted_, s.revoked_);
  }

 private:
  std::shared_ptr<EtcdRevision> now_;
  std::int64_t compacted_ = -1;        // as etcd, which lets revision 0 be compacted
  std::vector<std::int64_t> revoked_;  // leases, ascending
};

// Whether a range at a revision finds this.
[[nodiscard]] bool etcd_shows(const EtcdRevision& revision, const EtcdStep& range, const EtcdFound& found,
                              const Values& values);

// What a request does in a state, and what it answers.
class EtcdRun {
 public:
  EtcdRun(const EtcdState& state, const EtcdRequest& request, const Values& values);

  // False: it cannot happen here.
  [[nodiscard]] bool is_possible() const { return is_possible_; }
  [[nodiscard]] bool changes_keys() const { return changes_keys_; }
  [[nodiscard]] bool agrees(const EtcdAnswer& recorded) const;
  [[nodiscard]] Value answer(Values& values) const;
  void apply(EtcdState& state, bool keep);

 private:
  struct Result {
    EtcdStep::Kind kind = EtcdStep::Kind::kPut;
    std::int64_t number = 0;         // of keys: deleted, or found
    std::vector<EtcdEntry> entries;  // of those found, up to the limit
  };

  void run_range();
  void run_steps();
  void run_revoke();
  void run_compact();
  [[nodiscard]] bool holds(const EtcdCondition& condition) const;
  void put(const EtcdStep& step);
  [[nodiscard]] std::int64_t erase(Value key);
  [[nodiscard]] bool agrees(const Result& result, Value recorded) const;
  [[nodiscard]] static Value to_value(const Result& result, Values& values);
  [[nodiscard]] std::vector<EtcdEntry>::iterator place(Value key);

  const EtcdState& state_;
  const EtcdRequest& request_;
  const Values& values_;
  bool is_possible_ = true;
  bool changes_keys_ = false;
  bool succeeded_ = true;
  std::string_view word_;           // instead of an answer
  std::vector<EtcdEntry> entries_;  // if a step may change them
  std::vector<Result> results_;
};

}  // namespace plumb
