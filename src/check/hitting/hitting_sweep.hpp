// Strong d-hitting families of schedules, after Algorithm 1 of "Checking Linearizability Using Hitting Families" (Kulahcioglu
// Ozkan, Majumdar, Niksic, PPoPP 2019), all schedules of a family at once.
//
// A schedule has an index (chain, x_1, …, x_{d-1}): a process and d-1 operations in an order. The algorithm inserts the
// operations one by one, in a topological order, here by call:
//   - an operation among the x as late as possible, but before those x of higher rank that are concurrent with it;
//   - an operation of the chain as late as possible, but before all concurrent x;
//   - any other as early as possible.
// The paper does that for each of the m·n!/(n-d+1)! indices. Here an index is chosen while the operations come: each is
// named, with any rank among those named so far, or not. Partial schedules from which the same can follow are one:
//   - what lies before the last operation that has returned (when the next is called) can no longer change: nothing is
//     inserted there. It is replayed at once and forgotten, except for where it leads to (`key`);
//   - what lies behind it, the tail, is open: no longer than there are processes;
//   - of the names, only those matter that come, by rank, after all names that have returned: an operation that is called
//     now comes after the others, whatever its rank.
// So the work grows with the concurrency and with d, not with the number of indices, and schedules share what they have in
// common. If the key is a state of a model, the sweep finds a witness in the family, if there is one; if it is the sequence
// itself, the sweep gives the family.
//
// Pending operations take effect only where the index names them, as one of the x or as the last of the chain.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>
#include <absl/container/inlined_vector.h>
#include <absl/hash/hash.h>

#include "check/hitting/hitting_poset.hpp"

namespace plumb {

// A partial schedule.
struct Partial {
  using List = absl::InlinedVector<std::uint32_t, 6>;
  std::uint32_t key = 0;    // what the part that can no longer change leads to
  std::uint32_t trail = 0;  // and the way there; equal partial schedules may differ in it
  std::uint32_t count = 0;  // operations named so far
  List tail;                // what may still change, in order
  List named;               // the names that still matter, by rank

  friend bool operator==(const Partial& a, const Partial& b) {
    return a.key == b.key && a.count == b.count && a.tail == b.tail && a.named == b.named;
  }
  template <class H>
  friend H AbslHashValue(H h, const Partial& p) {
    return H::combine(std::move(h), p.key, p.count, p.tail, p.named);
  }
};

// Replay: `std::uint32_t start()` and `bool extend(std::uint32_t key, std::uint32_t operation, std::vector<std::uint32_t>&
// next)`, which appends every key that the operation may lead to, and says whether it took effect at all (a pending one may
// not have). Watch: `bool spent(work)`, asked now and then with the number of partial schedules made so far.
template <class Replay, class Watch>
class HittingSweep {
 public:
  HittingSweep(const HittingPoset& poset, Replay& replay, Watch& watch)
      : poset_(poset), replay_(replay), watch_(watch), known_(0, Hash{&next_}, Equal{&next_}) {}

  // The complete schedules of this chain with at most `names` names, at least `fewest`: keys and trails, each once for
  // every number of names. Nothing more is said once the watch has said that it is enough.
  const std::vector<Partial>& run(std::uint32_t chain, std::uint32_t names, std::uint32_t fewest) {
    chain_ = chain;
    names_ = names;
    now_.assign(1, {});
    now_.front().key = replay_.start();
    now_.front().trail = kRoot;
    for (std::uint32_t op = 0; op < poset_.size() && !now_.empty(); ++op) {
      const auto left = static_cast<std::uint32_t>(poset_.size()) - op;
      take_up(
          fewest > left ? fewest - left : 0, [&](const Partial& partial) { insert(partial, op); }, op);
    }
    take_up(
        fewest, [&](const Partial& partial) { add(partial); }, static_cast<std::uint32_t>(poset_.size()));
    return now_;
  }

  // The operations of a complete schedule, in order.
  [[nodiscard]] std::vector<std::uint32_t> schedule(const Partial& complete) const {
    std::vector<std::uint32_t> order;
    for (std::uint32_t at = complete.trail; at != kRoot; at = trail_[at].before)
      order.push_back(trail_[at].operation);
    std::ranges::reverse(order);
    return order;
  }

  [[nodiscard]] bool gave_up() const { return gave_up_; }
  [[nodiscard]] std::uint64_t work() const { return work_; }
  [[nodiscard]] std::size_t memory() const {
    return trail_.capacity() * sizeof(Step) + (now_.capacity() + next_.capacity()) * sizeof(Partial);
  }
  void forget_trails() { trail_.clear(); }

 private:
  static constexpr std::uint32_t kRoot = ~std::uint32_t{0};
  struct Step {
    std::uint32_t before;
    std::uint32_t operation;
  };
  struct Hash {
    using is_transparent = void;
    const std::vector<Partial>* all;
    std::size_t operator()(const Partial& p) const { return absl::Hash<Partial>()(p); }
    std::size_t operator()(std::uint32_t i) const { return absl::Hash<Partial>()((*all)[i]); }
  };
  struct Equal {
    using is_transparent = void;
    const std::vector<Partial>* all;
    bool operator()(std::uint32_t a, std::uint32_t b) const { return a == b; }
    bool operator()(std::uint32_t a, const Partial& b) const { return (*all)[a] == b; }
    bool operator()(const Partial& a, std::uint32_t b) const { return a == (*all)[b]; }
  };

  // Every partial schedule that has names enough is settled up to the next call and handed on.
  template <class HandOn>
  void take_up(std::uint32_t fewest, const HandOn& hand_on, std::uint32_t op) {
    next_.clear();
    known_.clear();
    for (Partial& partial : now_) {
      if (gave_up_) break;
      if (partial.count < fewest) continue;
      settle(partial, op, hand_on);
    }
    now_.swap(next_);
    if (gave_up_) now_.clear();
  }

  [[nodiscard]] bool is_done(std::uint32_t operation, std::uint32_t next) const {
    return next == poset_.size() || poset_.precedes(operation, next);
  }

  // Replays the tail up to the last operation that has returned before `next` is called, and forgets the names that no
  // longer matter.
  template <class HandOn>
  void settle(Partial& partial, std::uint32_t next, const HandOn& hand_on) {
    const auto done = [&](std::uint32_t operation) { return is_done(operation, next); };
    const auto last_name = std::find_if(partial.named.rbegin(), partial.named.rend(), done);
    partial.named.erase(partial.named.begin(), last_name.base());
    const auto settled = std::find_if(partial.tail.rbegin(), partial.tail.rend(), done).base();
    const typename Partial::List operations(partial.tail.begin(), settled);
    partial.tail.erase(partial.tail.begin(), settled);
    replay(partial, operations, 0, hand_on);
  }

  // A step of a nondeterministic model may lead to several keys, or to none: then the schedule is no witness.
  template <class HandOn>
  void replay(Partial& partial, const typename Partial::List& operations, std::size_t from,
              const HandOn& hand_on) {
    for (std::size_t i = from; i < operations.size(); ++i) {
      keys_.clear();
      const bool happened = replay_.extend(partial.key, operations[i], keys_);
      if (keys_.empty()) return;
      if (happened) {
        trail_.push_back({partial.trail, operations[i]});
        partial.trail = static_cast<std::uint32_t>(trail_.size() - 1);
      }
      partial.key = keys_.front();
      if (keys_.size() == 1) continue;
      const std::vector<std::uint32_t> others(keys_.begin() + 1, keys_.end());
      for (const std::uint32_t key : others) {
        Partial other = partial;
        other.key = key;
        replay(other, operations, i + 1, hand_on);
      }
    }
    hand_on(partial);
  }

  // All that Algorithm 1 may do with the operation. In the tail and among the names that matter everything is concurrent
  // with it.
  void insert(const Partial& partial, std::uint32_t op) {
    const bool in_chain = poset_.operations[op].chain == chain_;
    if (in_chain) {
      add(with(partial, op, before_names(partial)));
    } else if (poset_.operations[op].is_pending) {
      add(partial);
    } else {
      add(with(partial, op, 0));
    }
    if (partial.count == names_) return;
    for (std::size_t rank = 0; rank <= partial.named.size(); ++rank) {
      Partial named = with(partial, op, place_of(partial, rank));
      named.named.insert(named.named.begin() + static_cast<std::ptrdiff_t>(rank), op);
      ++named.count;
      add(std::move(named));
    }
    if (partial.count == partial.named.size()) return;
    Partial outranked = with(partial, op, before_names(partial));  // by a name that has returned
    ++outranked.count;
    add(std::move(outranked));
  }

  static Partial with(const Partial& partial, std::uint32_t op, std::size_t place) {
    Partial more = partial;
    more.tail.insert(more.tail.begin() + static_cast<std::ptrdiff_t>(place), op);
    return more;
  }
  // Right before the name of that rank; at the end where there is none.
  static std::size_t place_of(const Partial& partial, std::size_t rank) {
    if (rank == partial.named.size()) return partial.tail.size();
    return static_cast<std::size_t>(std::ranges::find(partial.tail, partial.named[rank]) -
                                    partial.tail.begin());
  }
  static std::size_t before_names(const Partial& partial) { return place_of(partial, 0); }

  void add(Partial partial) {
    constexpr std::uint64_t kOften = 256;
    constexpr std::size_t kUsual = 8;  // operations in a tail: more are more work
    work_ += 1 + partial.tail.size() / kUsual;
    if (++added_ % kOften == 0 && watch_.spent(work_)) gave_up_ = true;
    known_.lazy_emplace(partial, [&](const auto& construct) {
      next_.push_back(std::move(partial));
      construct(static_cast<std::uint32_t>(next_.size() - 1));
    });
  }

  const HittingPoset& poset_;
  Replay& replay_;
  Watch& watch_;
  std::uint32_t chain_ = 0;
  std::uint32_t names_ = 0;
  std::vector<Partial> now_;
  std::vector<Partial> next_;
  absl::flat_hash_set<std::uint32_t, Hash, Equal> known_;
  std::vector<Step> trail_;
  std::vector<std::uint32_t> keys_;
  std::uint64_t work_ = 0;
  std::uint64_t added_ = 0;
  bool gave_up_ = false;
};

}  // namespace plumb
