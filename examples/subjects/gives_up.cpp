// Two structures that are right, and the same with a loop that gives up: faults that need three and four switches inside one operation,
// each right after another thread has changed what it read. Both come from LTest's examples.
#include "mutations.hpp"

using PatientQueue = Queue<Mutation::kNone>;
using GivesUpQueue = Queue<Mutation::kGivesUp>;
using PatientStack = Stack<Mutation::kNone>;
using GivesUpStack = Stack<Mutation::kGivesUp>;
PLUMB_TEST(PatientQueue, test) { define(test); }
PLUMB_TEST(GivesUpQueue, test) { define(test); }
PLUMB_TEST(PatientStack, test) { define(test); }
PLUMB_TEST(GivesUpStack, test) { define(test); }
