// What is weakened in mutated.hpp, by structure: which memory order, and why it does no harm where it does none. tests/explore/weak/mutants.cpp
// looks that this is so, and that docs/memory.md says it; benchmarks/weak.cpp measures it.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "explore/weak/mutated.hpp"

namespace mutated {

using Programs = std::vector<void (*)(plumb::Program&)>;  // the right one, then the mutants

struct Mutant {
  std::string weakened;
  std::string harmless = {};  // why; empty: it is found
};
struct Subject {
  std::string name;
  std::vector<Programs> programs;  // each mutant is found in one of them, or in none
  std::vector<Mutant> mutants;
};

#define PLUMB_MUTANTS(subject, last)                             \
  []<int... kMutants>(std::integer_sequence<int, kMutants...>) { \
    return Programs{&mutated::subject<kMutants>...};             \
  }                                                              \
  (std::make_integer_sequence<int, last + 1>())

inline const std::string kCompared = "what it returns is only compared";
inline const std::string kDecides =
    "who gets the last element is decided by the read-modify-write itself; the rest is ordered by the fences";

inline std::vector<Subject> subjects() {
  return {
      {"Treiber's stack",
       {PLUMB_MUTANTS(treiber, 3)},
       {{"push, compare-exchange: release to relaxed"},
        {"pop, load: acquire to relaxed"},
        {"pop, compare-exchange: acquire to relaxed"}}},
      {"Michael and Scott's queue",
       {PLUMB_MUTANTS(michael_scott, 12), PLUMB_MUTANTS(michael_scott_of_three, 12),
        PLUMB_MUTANTS(michael_scott_enqueues, 12)},
       {{"enqueue, load of tail: acquire to relaxed"},
        {"enqueue, load of next: acquire to relaxed"},
        {"enqueue, second load of tail: acquire to relaxed", kCompared},
        {"enqueue, helping: release to relaxed"},
        {"enqueue, linking: release to relaxed"},
        {"enqueue, swinging tail: release to relaxed"},
        {"dequeue, load of head: acquire to relaxed"},
        {"dequeue, load of tail: acquire to relaxed", kCompared},
        {"dequeue, load of next: acquire to relaxed"},
        {"dequeue, second load of head: acquire to relaxed", kCompared},
        {"dequeue, helping: release to relaxed"},
        {"dequeue, swinging head: release to relaxed"}}},
      {"Chase and Lev's deque",
       {PLUMB_MUTANTS(chase_lev, 7)},
       {{"push, fence: release to none"},
        {"take, fence: seq_cst to acq_rel"},
        {"take, compare-exchange: seq_cst to relaxed", kDecides},
        {"steal, load of top: acquire to relaxed", "the fence behind it acquires what it saw"},
        {"steal, fence: seq_cst to acq_rel"},
        {"steal, load of bottom: acquire to relaxed"},
        {"steal, compare-exchange: seq_cst to relaxed", kDecides}}},
      {"sequence lock",
       {PLUMB_MUTANTS(sequence_lock, 4)},
       {{"writer, fence: release to none"},
        {"writer, last store: release to relaxed"},
        {"reader, first load: acquire to relaxed"},
        {"reader, fence: acquire to none"}}},
      {"publication, as by RCU",
       {PLUMB_MUTANTS(publication, 2)},
       {{"writer, store: release to relaxed"}, {"reader, load: acquire to relaxed"}}},
      {"hazard pointer",
       {PLUMB_MUTANTS(hazard_pointer, 5)},
       {{"protecting, store: seq_cst to release"},
        {"protecting, load: seq_cst to acquire"},
        {"end of protection, store: release to relaxed"},
        {"retiring, exchange: seq_cst to acq_rel"},
        {"retiring, load of the hazard: seq_cst to acquire"}}},
      {"Vyukov's bounded queue",
       {PLUMB_MUTANTS(bounded_ring, 4)},
       {{"push, load of the sequence: acquire to relaxed"},
        {"push, store of the sequence: release to relaxed"},
        {"pop, load of the sequence: acquire to relaxed"},
        {"pop, store of the sequence: release to relaxed"}}},
      {"Peterson's lock",
       {PLUMB_MUTANTS(peterson, 5)},
       {{"store of the wish: seq_cst to release"},
        {"store of the turn: seq_cst to release"},
        {"load of the other's wish: seq_cst to acquire"},
        {"load of the turn: seq_cst to acquire",
         "one of the two stores of the turn comes last, and a thread that does not read its own has acquired "
         "the other's"},
        {"unlocking, store: release to relaxed"}}},
      {"spin lock",
       {PLUMB_MUTANTS(spin_lock, 2)},
       {{"locking, exchange: acquire to relaxed"}, {"unlocking, store: release to relaxed"}}},
      {"ticket lock",
       {PLUMB_MUTANTS(ticket_lock, 2)},
       {{"locking, load: acquire to relaxed"}, {"unlocking, store: release to relaxed"}}},
  };
}

inline plumb::Exploration explore(void (*program)(plumb::Program&)) {
  return plumb::explore(program, {.memory_model = plumb::MemoryModel::kRc11, .suggest_orders = false});
}
// Of the first program in which something is found; or of the last one.
inline plumb::Exploration explore_mutant(const Subject& subject, std::size_t mutant) {
  plumb::Exploration result;
  for (const Programs& programs : subject.programs) {
    result = explore(programs[mutant + 1]);
    if (result.verdict != plumb::Outcome::kHolds) break;
  }
  return result;
}

}  // namespace mutated
