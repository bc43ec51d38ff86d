// The structures that are recorded for the tables and plots, by name: the sets of Table 1, the stacks and
// queues of LiMo's figures.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include <tbb/concurrent_hash_map.h>

#include "kept.hpp"
#include "limo/coarse.hpp"
#include "limo/time_stamped_stack.hpp"
#include "quasi/classic.hpp"
#include "sets/fine_grained_list.hpp"
#include "sets/lazy_skip_list.hpp"
#include "sets/lock_free_list.hpp"
#include "sets/lock_free_skip_list.hpp"
#include "sets/optimistic_list.hpp"

namespace structures {

class TbbHashMap {
 public:
  bool add(int value) { return map_.insert({value, 0}); }
  bool remove(int value) { return map_.erase(value); }
  bool contains(int value) const { return map_.count(value) != 0; }

 private:
  tbb::concurrent_hash_map<int, int> map_;
};

// Calls `visit.template set<T>()`, `stack<T>()` or `queue<T>()` for the structure of this
// name; false: there is none.
template <class Visit>
bool find(std::string_view name, Visit visit) {
  // clang-format off
  if (name == "tbb-hash-map") return visit.template set<TbbHashMap>(), true;
  if (name == "fine-grained-list") return visit.template set<sets::FineGrainedList>(), true;
  if (name == "lazy-list") return visit.template set<sets::LazyList>(), true;
  if (name == "optimistic-list") return visit.template set<sets::OptimisticList>(), true;
  if (name == "lock-free-list") return visit.template set<sets::LockFreeList>(), true;
  if (name == "lazy-skip-list") return visit.template set<sets::LazySkipList<>>(), true;
  if (name == "lock-free-skip-list") return visit.template set<sets::LockFreeSkipList<>>(), true;
  if (name == "faulty-skip-list") return visit.template set<sets::LockFreeSkipList<8, true>>(), true;
  if (name == "coarse-stack") return visit.template stack<limo::CoarseStack>(), true;
  if (name == "treiber-stack") return visit.template stack<quasi::BasicTreiberStack<Kept>>(), true;
  if (name == "time-stamped-stack") return visit.template stack<limo::BasicTimeStampedStack<false>>(), true;
  if (name == "buggy-time-stamped-stack") return visit.template stack<limo::BasicTimeStampedStack<true>>(), true;
  if (name == "coarse-queue") return visit.template queue<limo::CoarseQueue>(), true;
  if (name == "michael-scott-queue") return visit.template queue<quasi::BasicMichaelScottQueue<Kept>>(), true;
  if (name == "single-threaded-queue") return visit.template queue<quasi::BasicSingleThreadedQueue<Kept>>(), true;
  // clang-format on
  return false;
}

}  // namespace structures
