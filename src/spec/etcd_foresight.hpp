// What recorded answers say of the revisions that a search is to come through: which keys are as they are at which, and who has made them.
//
// An answer at revision r that has a key as it was last changed at m says that no state between m and r has it otherwise; the answer of a
// put at r says who has made r. A search that knows this sees at once that a call whose effect nobody saw did not happen where it tries
// it. Revisions are what the server said: answers that contradict each other leave no state alive, as no order explains them.
//
// All of this holds for every order in which those answers are given; what returns later than the search has to come may not be used.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <plumb/model.hpp>

#include "spec/etcd_state.hpp"

namespace plumb {

class EtcdForesight {
 public:
  EtcdForesight() = default;
  EtcdForesight(std::span<const Lookahead> operations, std::uint32_t until, const Values& values);

  // No order that gives the answers leads through this state.
  [[nodiscard]] bool contradicts(const EtcdState& state, const Values& values) const;
  // Whether a range may ask for a revision once there are later ones.
  [[nodiscard]] bool asks_for(std::int64_t revision) const { return all_ || asked_.contains(revision); }

 private:
  // From one revision to another, both included, a key is as it was changed at the first; or is not there.
  struct Stretch {
    std::int64_t from = 0;
    std::int64_t to = 0;
    bool is_there = true;
    Value value = {};
    bool knows_value = true;
    std::optional<std::int64_t> version = {};
  };
  // All keys of a range, at a revision.
  struct Sight {
    EtcdStep range;
    Value found;  // as etcd_found() reads it
  };

  // What puts and deletes one key: by calls that say for certain at which revision, and by others, of which some say at which at most.
  struct Changes {
    std::vector<std::int64_t> puts;
    std::vector<std::int64_t> deletes;
    std::vector<std::int64_t> unsure_puts;
    std::vector<std::int64_t> unsure_deletes;
    std::int64_t puts_anywhere = 0;
    bool is_deleted_anywhere = false;
  };

  void find_revokes(std::span<const Lookahead> operations, const Values& values);
  void find_keys_of_leases(std::span<const Lookahead> operations, const Values& values);
  // Whether a put certainly changes the key, if it returns so: its lease was not there only if somebody had begun to revoke it.
  [[nodiscard]] bool is_certain(const EtcdStep& put, std::uint32_t ret) const;
  void take(const EtcdRequest& request, const EtcdAnswer& answer, std::uint32_t ret, const Values& values);
  void take_changes(const EtcdRequest& request, const std::optional<EtcdAnswer>& answer, std::uint32_t ret);
  void take_unsure(const EtcdRequest& request, std::optional<std::int64_t> revision,
                   std::span<const EtcdStep> steps);
  void count_puts(const EtcdRequest& request);
  void sort_changes();
  void take_step(const EtcdStep& step, Value result, std::int64_t revision, std::uint32_t ret,
                 const Values& values);
  void see(const EtcdStep& range, Value result, std::int64_t revision, const Values& values);
  void add(Value key, Stretch stretch) { stretches_[key].push_back(stretch); }
  void sort_stretches();
  void find_only_writes(std::span<const Lookahead> operations, const Values& values);
  [[nodiscard]] bool fits(const EtcdState& state, Value key, const Stretch& stretch,
                          const Values& values) const;
  [[nodiscard]] bool can_reach(const EtcdState& state, Value key, const Stretch& stretch,
                               const Values& values) const;

  bool all_ = true;
  absl::flat_hash_set<std::int64_t> asked_;
  absl::flat_hash_map<Value, std::vector<Stretch>> stretches_;            // of each key, by `from`
  absl::flat_hash_map<std::int64_t, std::vector<Sight>> sights_;          // by revision
  absl::flat_hash_map<std::int64_t, std::uint32_t> revoke_called_after_;  // a lease: so many returns
  absl::flat_hash_map<std::int64_t, std::int64_t> last_use_;  // a lease: the last revision that needs it
  absl::flat_hash_map<Value, Changes> changes_;               // by key
  absl::flat_hash_map<std::int64_t, std::vector<Value>> keys_of_leases_;  // of those that somebody revokes
  std::vector<std::int64_t> made_;  // revisions of which it is certain who made them; each once
  std::int64_t most_puts_ = 1;      // of one key in one request
  absl::flat_hash_map<std::pair<Value, Value>, std::int64_t>
      only_write_;  // at which revision a value came to a key
};

}  // namespace plumb
