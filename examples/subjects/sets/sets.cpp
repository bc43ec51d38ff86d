// Concurrent sets, each with its test: lists and skip lists, with locks and without. The skip lists have two
// levels here, where every schedule is run, and eight in the benchmarks.
#include <plumb/plumb.hpp>

#include "fine_grained_list.hpp"
#include "lazy_skip_list.hpp"
#include "lock_free_list.hpp"
#include "lock_free_skip_list.hpp"
#include "optimistic_list.hpp"

using namespace sets;

template <class Set>
void define(plumb::Test<Set>& test) {
  test.operation("add", &Set::add, plumb::values(1, 2));
  test.operation("remove", &Set::remove, plumb::values(1, 2));
  test.operation("contains", &Set::contains, plumb::values(1, 2));
  test.model("set");
}

using LowLazySkipList = LazySkipList<2>;
using LowLockFreeSkipList = LockFreeSkipList<2>;
using FaultyLockFreeSkipList = LockFreeSkipList<2, true>;

PLUMB_TEST(FineGrainedList, test) { define(test); }
PLUMB_TEST(OptimisticList, test) { define(test); }
PLUMB_TEST(LazyList, test) { define(test); }
PLUMB_TEST(LockFreeList, test) { define(test); }
PLUMB_TEST(LowLazySkipList, test) { define(test); }
PLUMB_TEST(LowLockFreeSkipList, test) { define(test); }
PLUMB_TEST(FaultyLockFreeSkipList, test) { define(test); }
